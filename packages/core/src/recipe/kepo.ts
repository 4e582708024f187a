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
      "The teacher is the frozen start, told the solution, with a tenth of the weight and the reverse divergence over 20 words. The source has a larger model that is told nothing, weight 1 and the middle divergence (jsd) over the whole vocabulary: preset paper.",
      "A hint is the beginning of the demonstrator's solution (setting hintSteps), the policy itself plays with it. In the source the teacher writes it from the answer.",
      "Up to `inserted` hinted successes are taken from `hints` episodes. The source samples both at once, up to 5 times, until both are right.",
      "A task that no hint has helped is dropped; in the source it stays, and has nothing to compare.",
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
      aggregation: "seq-mean-token-mean",
      learningRate: 2e-6,
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
