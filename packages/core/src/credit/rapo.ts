/**
 * RaPO: rollouts that stay near the policy of the task before earn more, and what advantages are divided by lives on
 * from task to task.
 */
import { withoutUndefined } from "limbeck-base/base/fields";
import { sampleDeviation } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { columnOf, groupMembers, meanOf, real } from "./columns.ts";
import { defineCredit, type RowWith } from "./credit.ts";
import { answers } from "./examples.ts";
import { groupAdvantages, taskGroups } from "./groups.ts";
import { trainedCount } from "./row.ts";
import { rowScores } from "./scores.ts";
import { epsilon, invalidPenalty, share } from "./shared-options.ts";
import { trainedSum } from "./tokens.ts";

const options = {
  retention: option.number(0.5, "weight of the retention reward", { least: 0 }),
  steepness: option.number(20, "how fast the retention reward falls with the drift", { least: 0 }),
  task: option.count(2, "which task of a sequence this is; the first is compared as in GRPO, without retention"),
  update: option.count(0, "updates of this task so far", 0),
  priorDeviation: option.limit(null, "deviation of rewards that lives on", { least: 0 }),
  lastDeviation: option.limit(null, "deviation of the last batch, with which a later task begins", { least: 0 }),
  memory: share(0.999, "how much of the past deviation stays"),
  firstMemory: share(0.9, "the same at the first update of a task"),
  warmUp: option.count(2, "updates until all of it stays", 0),
  leastDeviation: option.number(1e-3, "least deviation that is divided by", { least: 0 }),
  guard: option.limit(5, "a group with a larger advantage is divided by its own deviation instead", { above: 0 }),
  epsilon: epsilon(1e-6),
  invalidPenalty: invalidPenalty(0),
};

export const rapo = defineCredit({
  info: {
    title: "RaPO",
    paper: "Overcoming Catastrophic Forgetting in Visual Continual Learning with Reinforcement Fine-Tuning",
    confidence: "code",
    source:
      "LMMMEng/RaPO @ f25ad371; examples/baselines/_rapo_components.py: _apply_retention_reward, EMAAdvNormalizer.compute_grpo_advantage",
    formula: [
      "d = max(mean over tokens of (log p_old - log p_previousTask), 0)",
      "R = R_task + retention * exp(-steepness * d)",
      "s = max(m * s + (1 - m) * deviation of the batch's R, leastDeviation);   m from firstMemory to memory over warmUp updates",
      "A = (R - mean of the group) / (s + epsilon);   a group with some |A| > guard: by its own deviation",
    ],
    meaning: "Prefers, of rollouts of one prompt, those that forget less of the task before.",
    departures: [
      "A run by itself counts as a later task: the policy it starts from is the one of the task before. One task after another (`--next`) counts from 1.",
      "Where nothing is known of a task before, the deviation begins with that of the first batch; published code then also corrects it as if it had begun at 1, which its own trainer never reaches.",
      "Rows are steps: each has a drift of its own, and the statistics are over rows. Published code has one answer a rollout. A group of one gets 0, where published code stops.",
      "A row without a trained token has the whole retention reward, which its group's mean counts; in published code it has none.",
      "Published code has the retention reward and the living deviation off by default, and its launch scripts name a file of numbers that could not be read; a reader of it found both on from the second task on. Here both are on. The metric retention has the weight in it; the published one is without.",
      "As the code has it: a task begins with the deviation of the last batch before it, with a short memory at first, and a guard. The paper (section 3.2.3, as that reader quotes it) carries the living deviation itself over, with memory 0.999 throughout.",
      "Published code also keeps a divergence of 0.002 to the model before the first task. That is a setting of the training.",
    ],
  },
  needs: ["oldLogprobs", "previousTask"],
  carries: { task: "task", update: "update", priorDeviation: "deviation", lastDeviation: "batchDeviation" },
  options,
  laws: { shift: true, scale: "neither", zeroSum: true },
  example: {
    about: "Two right answers, the first nearer to the old policy, and two wrong ones.",
    batch: answers(
      [1, 1, 0, 0],
      [0, 0.02, 0.05, 0.1].map((drift) => ({ logprobs: { old: [-1], previousTask: [-1 - drift] } })),
    ),
    options: { priorDeviation: 0.5, update: 2 },
  },
  compute: (batch, given) => {
    const { retention, steepness, task, update, guard } = given;
    const drifts = columnOf(batch.rows, drift);
    const kept = drifts.map((distance) => (task === 1 ? 0 : retention * Math.exp(-steepness * distance)));
    const rewards = rowScores(batch, given.invalidPenalty).map((score, at) => score + real(kept, at));
    const groups = taskGroups(batch);
    const own = groupAdvantages(rewards, groups, { singleton: "zero", epsilon: given.epsilon });
    const living = deviations(rewards, given);
    const scale = (living.deviation ?? 0) + given.epsilon;
    const advantages = own.advantages.slice();
    let fallbacks = 0;
    for (const [group, members] of task === 1 ? [] : groupMembers(groups).entries()) {
      if (own.sizes[group] === 1) continue;
      const across = members.map((at) => (real(rewards, at) - real(own.centres, group)) / scale);
      if (guard !== null && across.some((value) => Math.abs(value) > guard)) fallbacks += 1;
      else for (const [place, at] of members.entries()) advantages[at] = across[place] as number;
    }
    return {
      terms: { retained: { weight: 1, perRow: advantages } },
      metrics: {
        ...own.metrics,
        task,
        update: rewards.length === 0 ? update : update + 1,
        ...living,
        drift: meanOf(drifts),
        retention: meanOf(kept),
        fallbacks,
      },
    };
  },
});

/** The deviation of this batch, and the one that lives on; a task begins with that of the last batch before it. */
function deviations(
  rewards: Float64Array,
  { update, priorDeviation, lastDeviation, memory, firstMemory, warmUp, leastDeviation }: OptionValues<typeof options>,
): { readonly batchDeviation?: number; readonly deviation?: number } {
  const before = (update === 0 ? lastDeviation : null) ?? priorDeviation ?? undefined;
  // A single row says nothing of how rewards differ.
  if (rewards.length < 2) return withoutUndefined({ batchDeviation: lastDeviation ?? undefined, deviation: before });
  const batchDeviation = sampleDeviation(rewards);
  const stays = update >= warmUp ? memory : firstMemory + ((memory - firstMemory) * update) / warmUp;
  const blended = before === undefined ? batchDeviation : stays * before + (1 - stays) * batchDeviation;
  return { batchDeviation, deviation: Math.max(blended, leastDeviation) };
}

/** How far the row lies from what the earlier policy would say; where it is less sure than that one, it counts as near. */
function drift({ mask, logprobs: { old, previousTask } }: RowWith<"oldLogprobs" | "previousTask">): number {
  const count = trainedCount(mask);
  return count === 0 ? 0 : Math.max(trainedSum(mask, old, previousTask) / count, 0);
}
