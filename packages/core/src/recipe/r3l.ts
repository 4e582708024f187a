/** R3L: failed episodes are looked back at and begun again; where that worked, the looking back is learned too. */
import { option } from "limbeck-base/base/option";
import type { Lesson } from "../distill/imitation/lesson.ts";
import { policyGradient } from "../objective/policy-gradient.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { learnLessons, rowsOfLessons } from "./imitate.ts";
import { defineRecipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { measure } from "../update/context.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";

/** A retry that was worth it, as `strategy retry` notes it. */
interface Worthy {
  readonly attempt: Trajectory;
  readonly retry: Trajectory;
  readonly pivot: number;
  readonly guidance: string;
}

function worthyRetries(episodes: readonly Trajectory[]): Worthy[] {
  const byId = new Map(episodes.map((episode) => [episode.id, episode]));
  return episodes.flatMap((retry) => {
    const { parent, info } = retry;
    const { worth } = (info?.["retry"] ?? {}) as { readonly worth?: number };
    const attempt = byId.get(parent?.trajectory ?? "");
    const guidance = info?.["guidance"];
    if (worth !== 1 || parent === undefined || attempt === undefined || typeof guidance !== "string") return [];
    return [{ attempt, retry, pivot: parent.step, guidance }];
  });
}

/** Guidance after the failed attempt: where it went wrong, and what to do there. None where no retry was worth it. */
export function reflectionLessons(episodes: readonly Trajectory[]): Lesson[] {
  return worthyRetries(episodes).flatMap(({ attempt, pivot, guidance }) => {
    const last = attempt.steps.at(-1);
    if (last === undefined) return [];
    const after = JSON.stringify({ step: pivot, guidance: guidance.trim() });
    return [{ trajectory: attempt.id, step: last.index, learnAnswer: false, after }];
  });
}

/** The responses of the guided retry; a lesson has the message of its first step without the guidance. */
export function retryLessons(episodes: readonly Trajectory[]): Lesson[] {
  return worthyRetries(episodes).flatMap(({ retry }) =>
    retry.steps.map(({ index }) => ({ trajectory: retry.id, step: index, learnAnswer: true })),
  );
}

export const r3l = defineRecipe({
  info: {
    title: "R3L",
    paper: "R3L: Reflect-then-Retry Reinforcement Learning, with pivotal credit and positive amplification",
    confidence: "code",
    source:
      "shiweijiezero/R3L @ d503f6c6; trinity/common/workflows/envs/R3L/alfworld/R3L_workflow.py; trinity/algorithm/advantage_fn/opmd_advantage.py: OPMDReweightAdvGroupAdvantage",
    meaning:
      "Begins failed episodes again where they went wrong, learns from there on, and learns the reflection itself where the retry succeeded.",
    departures: [
      "Published code also learns, with reward 1, a reflection that rightly calls a full success optimal; here only reflections that led to a worthy retry are learned.",
      "Without a writer (--ask) the world's demonstrator reflects; --ask policy is the published form, in which the policy does. Successes are looked back at too there, here failures alone (strategy.retry).",
      "A reflection is learned after the last answer of the attempt, in the attempt's own context, as {step, guidance}; the source asks for it with a prompt of its own, and learns the whole report.",
      "The source learns reflections and guided retries with advantage 1, as it does full successes. Here the tokens of a reflection weigh reflectionWeight, 0.1: a few words of action drown in a long text otherwise. Until 19 November 2026 those of a guided retry weighed 0.1 too.",
      "In the source's second form, with a row for each step, a full success after a failure is worthy, and the guided retry is played once more: what that did is learned with advantage 1, whatever came of it; here the worthy retry itself.",
      "In the source they stand in one loss with the episodes, under one mean over tokens that is divided by 1 + tau. Here they are a step of their own, with a mean of their own that is not divided.",
      "In the source a retry gets its advantage without the guidance in view, and a worthy one is learned once more with it; here it is the other way round: credited rows are as they were read, with the guidance, and the imitated answers are without it.",
      "The source adds a divergence from the start (k2, 0.001), takes steps of 768 rows from a queue, newest first (its scripts name a limit of three uses, but set no time after which rows come back, so each is learned once), and has 96 tasks of 8 (4 attempts, up to 4 retries), rate 1e-6. Here no divergence, the rows of one update in one step, 8 tasks of 8, rate 3e-4.",
    ],
  },
  credit: "r3l",
  strategy: { name: "retry", options: {} },
  settings: {
    tau: option.number(1, "divides the loss by 1 + tau", { least: 0 }),
    reflectionWeight: option.number(0.1, "weight of a token of a reflection; 0: reflections are not learned", {
      least: 0,
    }),
    retryWeight: option.number(1, "weight of imitating the guided retry; 0: it is not imitated", { least: 0 }),
  },
  update: async (update, { tau, reflectionWeight, retryWeight }) => {
    const episodes = await collect(update);
    const { rows } = await credit(update, episodes);
    const objective = policyGradient.create({ tau, ratio: false });
    await learn(update, rows, { name: "policy", weight: 1, objective });

    const reflected = reflectionWeight === 0 ? [] : reflectionLessons(episodes);
    const again = retryWeight === 0 ? [] : retryLessons(episodes);
    const lessons = [
      ...rowsOfLessons(update, "reflections", reflected, episodes, reflectionWeight),
      ...rowsOfLessons(update, "retries", again, episodes, 1).map((row) => ({
        ...row,
        weights: new Float64Array(row.ids.length).fill(retryWeight),
      })),
    ];
    measure(update, { "retry/worthy": worthyRetries(episodes).length });
    if (lessons.length > 0) await learnLessons(update, lessons);
  },
});
