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
      "The teacher is the frozen start, told the demonstrator's solution; published teachers are larger models.",
      "An expert that has no solution leaves its task to the other direction, front to back.",
      "Success while training is that of cut or helped episodes; only validation tells how good the policy is.",
      "The weight of the teacher's shift is credit.coefficient.",
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
  presets: { paper: { teacher: "self", learningRate: 1e-6, period: 5 } },
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
