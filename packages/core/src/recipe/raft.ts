/**
 * RAFT: solutions in the model's own words, and a teacher that has read them.
 *
 * First the model at the start of the run plays each task with the solution in view; where that comes to the same end and
 * says nearly the same, it takes the place of the solution. Then the policy is fine-tuned on it, and at the same time, on its
 * own episodes, pulled to what the start believes with that solution in its context. Running averages keep both losses the
 * same size.
 */
import { option } from "limbeck-base/base/option";
import { type Averages, NO_AVERAGES } from "../distill/loss-balance.ts";
import { isRefined, leftOut } from "../distill/refinement.ts";
import { workflowText } from "../skill/statistics/wording.ts";
import { candidateDivergence } from "../objective/candidate-divergence.ts";
import { crossEntropy } from "../objective/cross-entropy.ts";
import { onlyRows } from "../objective/only-rows.ts";
import { balanceObjectives } from "../objective/balanced.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { solvedTasks, type Solved } from "./demonstrated.ts";
import { instructSettings, teachOnSchedule } from "./teacher-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { collect } from "../update/collect.ts";
import { keep, measure, type UpdateContext } from "../update/context.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";
import { playPlans, playTold } from "../update/play-told.ts";

export const raft = defineRecipe({
  info: {
    title: "RAFT",
    paper: "RAFT: Data Refinement and Adaptive Distillation for Domain Fine-Tuning with Alleviated Forgetting",
    confidence: "reading",
    source: "questions and answers of one of the authors on arXiv 2606.00147",
    meaning:
      "Fine-tunes on solutions in the model's own words, and distils from its start, which has them in its context.",
    departures: [
      "Read in answers of one of its authors: rewriting with a threshold, the teacher's likeliest words renormalised, a balance of both losses. Their constants are ours.",
      "Likeness is the cosine of word counts of the actions, no embedding.",
      "What a rewrite leaves out of the solution is told to the teacher behind it; what is learned from is the rewrite alone, which succeeded as it is.",
    ],
  },
  // Rows come from it; the advantages are not looked at.
  credit: "grpo",
  settings: {
    ...instructSettings({ teacher: "reference", context: "reference-solution", guard: false }),
    candidates: option.count(20, "likeliest words that are compared"),
    form: option.choice(
      "candidates",
      ["candidates", "vocabulary"],
      "what is compared: the teacher's likeliest words, or the whole vocabulary",
    ),
    teachTemperature: option.number(2, "what both sides' logits are divided by", { least: 0.1 }),
    rewriteTemperature: option.number(0.7, "temperature of the rewriting", { least: 0 }),
    likeness: option.share(0.8, "least cosine of a rewrite to the solution"),
    balance: option.number(1, "weight of the distillation where both losses are equal", { least: 0 }),
    averageDecay: option.share(0.9, "what the averages of the losses keep"),
    leastBalance: option.number(0.1, "least weight of the distillation", { least: 0 }),
    mostBalance: option.number(10, "largest weight of the distillation", { least: 0 }),
    epochs: { ...sharedSettings.epochs, most: 1 },
    miniBatches: { ...sharedSettings.miniBatches, most: 1 },
  },
  presets: { paper: { learningRate: 1e-5 } },
  demonstrated: () => true,
  update: async (update, settings) => {
    // 1. Act.
    const played = await collect(update);

    // 2. Refine the solutions of these tasks.
    const solved = await solvedTasks(update, played);
    const lessons = await refined(update, solved, settings);
    const ways = fused(update, solved, lessons);

    // 3. The start scores the policy's words with the fused solution in its context.
    const said = await teachOnSchedule(update, settings, played, {
      candidates: settings.form === "vocabulary" ? "all" : settings.candidates,
      tell: async ({ id }) => ways.get(id),
    });

    // 4. Fine-tune and distil, in balance.
    if (lessons.length === 0 && (said === undefined || said.opinions.size === 0)) return;
    const { rows } = await credit(update, [...played, ...lessons], said, { shiftAsAdvantage: false });
    const isLesson = new Set(lessons.map(({ id }) => id));
    const divergence = { direction: "forward", rest: "renormalise", temperature: settings.teachTemperature } as const;
    const objective = balanceObjectives({
      tuning: onlyRows(crossEntropy.create(), ({ trajectory = "" }) => isLesson.has(trajectory)),
      teaching: candidateDivergence.create(divergence),
      averages: averagesOf(update),
      options: {
        base: settings.balance,
        decay: settings.averageDecay,
        least: settings.leastBalance,
        most: settings.mostBalance,
      },
    });
    const measured = await learn(update, rows, { name: "policy", weight: 1, objective });
    keep(update, {
      tuning: measured["loss/policy/averageTuning"] ?? null,
      teaching: measured["loss/policy/averageTeaching"] ?? null,
    });
  },
});

/** The teacher's context of each task: the lesson, and what of the demonstrator's solution it leaves out. */
function fused(
  update: UpdateContext,
  solved: readonly Solved[],
  lessons: readonly Trajectory[],
): ReadonlyMap<string, string> {
  const plans = new Map(solved.map(({ task, plan }) => [task.id, plan]));
  let count = 0;
  const ways = lessons.map(({ task, steps }) => {
    const actions = steps.map(({ action }) => action);
    const missing = leftOut(plans.get(task.id) ?? [], actions);
    count += Number(missing.length > 0);
    return [
      task.id,
      [workflowText(actions), ...(missing.length === 0 ? [] : [`Also: ${missing.join("; ")}.`])].join(" "),
    ] as const;
  });
  measure(update, { "raft/fused": count });
  return new Map(ways);
}

/** What the update before has left. */
function averagesOf({ kept }: UpdateContext): Averages {
  const number = (value: unknown): number | null => (typeof value === "number" ? value : null);
  return kept === null ? NO_AVERAGES : { tuning: number(kept["tuning"]), teaching: number(kept["teaching"]) };
}

/** The start's own way where it is good enough, the demonstrator's otherwise. */
async function refined(
  update: UpdateContext,
  solved: readonly Solved[],
  { likeness, rewriteTemperature: temperature }: { readonly likeness: number; readonly rewriteTemperature: number },
): Promise<Trajectory[]> {
  const told = solved.map(({ task, plan }) => ({ task, hint: workflowText(plan), group: `refined ${task.id}` }));
  const rewrites = await playTold(update, told, { label: "refined", by: "teacher", temperature });
  const good = rewrites.map((one, at) =>
    isRefined(
      solved[at]?.plan ?? [],
      one && { actions: one.steps.map(({ action }) => action), success: one.success },
      likeness,
    )
      ? one
      : undefined,
  );
  const rest = solved.filter((_, at) => good[at] === undefined);
  const imitated =
    rest.length === 0
      ? []
      : await playPlans(
          update,
          rest.map(({ task, plan }) => ({ task, actions: plan })),
        );
  const kept = good.filter((one) => one !== undefined);
  measure(update, { "raft/refined": kept.length, "raft/unrefined": imitated.length });
  return [...kept, ...imitated];
}
