/**
 * KEPO: the teacher scores only where the policy did well, and gives hints where no attempt did.
 *
 * Distilling on failed episodes teaches what a teacher would say on a road that leads nowhere; so a gate keeps it to the
 * good ones. And a group that earned nothing has nothing to compare: its task is played again with a hint, and what then
 * succeeds is learned from as if the policy had found it by itself.
 */
import { option } from "limbeck-base/base/option";
import { gatedEpisodes, hopelessGroups, rescueGroups } from "../distill/quality-gate.ts";
import { workflowText } from "../skill/statistics/wording.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { divergenceLoss, divergenceSettings, widthOf } from "./divergence-form.ts";
import { instructSettings, teachOnSchedule } from "./teacher-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { measure, type UpdateContext } from "../update/context.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";
import { type Told, playTold } from "../update/play-told.ts";
import { solve } from "../update/solve.ts";

export const kepo = defineRecipe({
  info: {
    title: "KEPO",
    paper: "KEPO: Knowledge-Enhanced Preference Optimization for Reinforcement Learning with Reasoning",
    confidence: "code",
    source:
      "Corleno/KEPO @ 642c1625; src/gold_multimodal/gold_multimodal_trainer.py: compute_loss, _knowledge_enhancement, generalized_jsd_loss; scripts/mm_gold",
    meaning: "GRPO, a teacher on the episodes that did well, and hints for the tasks at which every episode failed.",
    departures: [
      "The teacher is the frozen start, with the solution in view, a tenth of the weight and the reverse divergence over 20 words. The source has a larger model without the solution, weight 1 and the middle divergence (jsd) over the whole vocabulary: preset paper.",
      "A hint is the beginning of the demonstrator's solution (setting hintSteps), the policy itself plays with it. In the source the teacher writes it from the answer, and its last scripts show the policy that answer beside the hint.",
      "Up to `inserted` hinted episodes with a reward above 0 are taken from `hints` of a hopeless task (none of its rewards is above 0), in the place of its last ones. The source samples two for each question of a device's batch at once, up to 5 times, until all of them are right, and puts them in random places of every one of these questions, hopeless or not; by its configuration's default it does so for every batch.",
      "From the second hinting of a device on, its second question is given a hint to its first in the source (the setting of two answers applies to hints too); here each task has its own.",
      "A task that no hint has helped is dropped; in the source it stays, and has nothing to compare.",
      "The source's reward is correctness plus form (0 to 2): its gate of 1 also opens for a well-formed wrong answer, and a group counts as hopeless only where neither was earned. Most of its scripts with hints have the gate at 0, where it is always open. Here both look at the world's reward.",
      "The source divides by the deviation plus 1e-4 and takes one unclipped step with means of rows; here 1e-6, the clipped loss and the mean over tokens (means of rows in preset paper). Its means are of the 2 questions of a device, and where none of their answers reaches the gate its divergence is 0/0; here the means are of the whole update, and such an update has no divergence.",
      "Its latest runs have 2 questions of 8 answers on each of 8 devices, 5 passes over the questions and a rate that falls evenly from 2e-6 to 0; here 8 tasks of 8 at 3e-4, in preset paper 16 of 8 at that rate. Its answers, hints and hinted answers are drawn at temperature 0.9 and top-p 0.95; here at temperature 1.",
    ],
  },
  credit: "grpo",
  settings: {
    ...instructSettings({ teacher: "reference", context: "reference-solution", guard: true }),
    ...divergenceSettings({ form: "candidates", direction: "reverse", clamp: null }),
    threshold: option.number(1, "least reward of an episode that the teacher speaks on"),
    teacherWeight: option.number(0.1, "weight of the divergence", { least: 0 }),
    hints: option.count(4, "hinted episodes of a hopeless task", 0),
    inserted: option.count(2, "of them, most that take others' places", 0),
    hintSteps: option.count(40, "actions that a hint tells"),
  },
  presets: {
    paper: {
      teacher: "model",
      context: "none",
      guard: false,
      form: "vocabulary",
      direction: "jsd",
      teacherWeight: 1,
      hints: 10,
      answerTokens: 1024,
      aggregation: "seq-mean-token-mean",
      tasks: 16,
      learningRate: 2e-6,
      schedule: "linear",
    },
  },
  demonstrated: ({ hints }) => hints !== 0,
  update: async (update, settings) => {
    // 1. Act, and where a whole group failed, act again with a hint.
    const played = await collect(update);
    const hinted = await exploreWithHints(update, played, settings);
    const { episodes, inserted, dropped } = rescueGroups(played, hinted, settings.inserted);

    // 2. The teacher looks at the good ones.
    const gate = gatedEpisodes(episodes, settings.threshold);
    const good = episodes.filter(({ id }) => gate.has(id));
    const said = good.length === 0 ? undefined : await teachOnSchedule(update, settings, good, widthOf(settings));

    // 3. Credit by the outcome, and learn from both. The mean of the divergence is over the tokens of the gated episodes alone.
    const { rows } = await credit(update, episodes, said, { shiftAsAdvantage: false });
    const objective = divergenceLoss(settings, "token-mean");
    const teacher = said === undefined ? [] : [{ name: "teacher", weight: settings.teacherWeight, objective }];
    await learn(update, rows, "clipped", teacher);
    measure(update, {
      "kepo/gated": gate.size,
      "kepo/hinted": hinted.length,
      "kepo/inserted": inserted.length,
      "kepo/dropped": dropped.length,
    });
  },
});

/** Episodes with the beginning of a solution in view, stored without it; the groups are those they may help. */
async function exploreWithHints(
  update: UpdateContext,
  played: readonly Trajectory[],
  { hints, hintSteps }: { readonly hints: number; readonly hintSteps: number },
): Promise<Trajectory[]> {
  const told: Told[] = [];
  for (const { id: group, trajectories } of hopelessGroups(played)) {
    const task = trajectories[0]?.task;
    const solution = task === undefined || hints === 0 ? undefined : await solve(update, task);
    if (task === undefined || solution === undefined) continue;
    const hint = workflowText(solution.plan.slice(0, hintSteps));
    told.push(...Array.from({ length: hints }, () => ({ task, hint, group })));
  }
  if (told.length === 0) return [];
  const episodes = await playTold(update, told, { label: "hinted", by: "policy", temperature: 1 });
  return episodes.filter((episode) => episode !== undefined);
}
