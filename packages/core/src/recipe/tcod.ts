/**
 * TCOD: on-policy distillation over many turns, a few turns first.
 *
 * A student that errs early brings its teacher into places that the teacher has never seen, and what is taught there is
 * worth little. So the length that the student plays grows with training: front to back the episode is cut, and the cut
 * moves on; back to front a demonstrator plays all but the last turns, and hands over earlier and earlier.
 */
import { option } from "limbeck-base/base/option";
import { givenTurns, playedTurns } from "../distill/temporal-curriculum.ts";
import { measureTurnDivergence } from "../distill/turn-divergence.ts";
import { type Handover, createHandover } from "../rollout/handover.ts";
import type { Strategy } from "../walk/line/strategy.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { divergenceLoss, divergenceSettings, widthOf } from "./divergence-form.ts";
import { instructSettings, teachOnSchedule } from "./teacher-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { collect } from "../update/collect.ts";
import { measure, type UpdateContext } from "../update/context.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";
import { solve } from "../update/solve.ts";

export const tcod = defineRecipe({
  info: {
    title: "TCOD",
    paper: "TCOD: Exploring Temporal Curriculum in On-Policy Distillation for Multi-turn Autonomous Agents",
    confidence: "code",
    source:
      "kokolerk/TCOD @ 465eef44; trinity/common/workflows/envs/TCOD/alfworld/TCOD_f2b_workflow.py, TCOD_b2f_workflow.py",
    meaning: "Distils from a teacher turn by turn: few turns at first, more with every stage.",
    departures: [
      "The teacher is the frozen start, with the demonstrator's solution in view; published teachers are larger models, without it (preset paper; setting teacherSource).",
      "Published updates count from 1, so that the first stage is one update shorter than period; here all stages are as long. A stage is 6 updates in the front-to-back scripts of ALFWorld and ScienceWorld, 5 back to front, 4 in WebShop; here 5, in preset paper 6. Its stages count batches of episodes and its steps take 64 turns, so that six batches of 16 episodes with one turn are 1.5 steps; here an update is a step.",
      "Published episodes end after 30 turns (WebShop 15), back to front with the given ones among them; here the student has mostTurns (30) of its own, given ones not counted. Of the given turns published code shows the last two, as text in the student's first prompt; here all stand as turns before it.",
      "An expert that has no solution leaves its task to the other direction, front to back; in published code the student plays such a task whole.",
      "Success while training is that of cut or helped episodes; only validation tells how good the policy is. The weight of the teacher's shift is credit.coefficient.",
      "Published runs have 16 tasks of one episode an update, steps of 64 turns, rate 1e-6, the clipped loss (0.2, dual clip 3), rows up to 2 updates old (others are passed over), each row a turn, and in ALFWorld front to back means over rows, elsewhere over tokens. Here 8 of 8, rate 3e-4, one step, means over tokens; preset paper has tasks, group, rate, decay (0.01), answers of 512 tokens and means of rows, not the further steps.",
      "An episode that the teacher has no solution for stays in the mean with advantage 0 (credit/untaughtRows); in published code there is a teacher for each. turn/N/kl is a mean over tokens; published code sums them over the episode.",
      "With another form than sampled the teacher's words become a divergence instead of an advantage.",
    ],
  },
  credit: "opd",
  settings: {
    ...instructSettings({ teacher: "reference", context: "reference-solution", guard: false }),
    ...divergenceSettings({ form: "sampled", direction: "reverse", clamp: null }),
    group: sharedSettings.group,
    curriculum: option.choice(
      "front-to-back",
      ["front-to-back", "back-to-front", "none"],
      "the first turns first, the last turns first, or whole episodes from the start",
    ),
    period: option.count(5, "updates until a turn is added"),
    mostTurns: option.count(30, "most turns of the student"),
  },
  presets: {
    // tcod_f2b.yaml of ALFWorld.
    paper: {
      teacher: "model",
      context: "none",
      curriculum: "front-to-back",
      period: 6,
      mostTurns: 30,
      maxSteps: 30,
      tasks: 16,
      group: 1,
      aggregation: "seq-mean-token-mean",
      answerTokens: 512,
      learningRate: 1e-6,
      weightDecay: 0.01,
    },
  },
  playsItself: true,
  demonstrated: ({ curriculum }) => curriculum === "back-to-front",
  update: async (update, settings) => {
    // 1. Act as far as the curriculum has come.
    const episodes = await collect(update, curriculumOf(update, settings));

    // 2. The teacher scores the student's own turns.
    const said = await teachOnSchedule(update, settings, episodes, widthOf(settings));
    const own = episodes.filter(({ streams }) => streams.some(({ mask }) => mask.includes(1)));
    measure(update, { "tcod/skipped": episodes.length - own.length });
    if (said === undefined || said.opinions.size === 0) return;
    for (const { turn, kl } of measureTurnDivergence(episodes, said)) measure(update, { [`turn/${turn}/kl`]: kl });

    // 3. Its shift is the advantage of every token.
    const { rows } = await credit(update, episodes, said);
    const divergence = { name: "policy", weight: 1, objective: divergenceLoss(settings, "token-mean") };
    await learn(update, rows, settings.form === "sampled" ? "clipped" : divergence);
  },
});

interface Curriculum {
  readonly curriculum: "front-to-back" | "back-to-front" | "none";
  readonly period: number;
  readonly mostTurns: number;
  readonly group: number;
}

/** The training's own strategy where there is no curriculum. It depends on the number of the update alone. */
function curriculumOf(
  update: UpdateContext,
  { curriculum, period, mostTurns, group }: Curriculum,
): Strategy | undefined {
  if (curriculum === "none") return undefined;
  const step = update.update - 1;
  const cut: Handover = { actions: [], turns: playedTurns(step, period, mostTurns) };
  if (curriculum === "front-to-back") {
    measure(update, { "tcod/turns": cut.turns ?? mostTurns });
    return createHandover({ start: () => cut, size: group });
  }
  const start = async (task: Task): Promise<Handover> => {
    const plan = (await solve(update, task))?.plan;
    if (plan === undefined) return cut;
    return { actions: plan.slice(0, givenTurns(step, period, plan.length)), turns: mostTurns };
  };
  return createHandover({ start, size: group });
}
