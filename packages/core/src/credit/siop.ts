/** SIOP: without a verifier, turns earn what they add to the likelihood of the answer that most rollouts gave. */
import { option } from "limbeck-base/base/option";
import { stepsOf, trajectoriesOf } from "./batch-index.ts";
import { countOf, entry, real, intAt } from "./columns.ts";
import { defineCredit, type IndexedBatch, type RowWith } from "./credit.ts";
import { episodes, bySignal } from "./examples.ts";
import { groupStatistics, taskGroups, trajectoryGroups } from "./groups.ts";
import { discountedSums } from "./scores.ts";
import { gamma, share } from "./shared-options.ts";

const SMALL = 1e-8;
const FLAT = 1e-6;

type Rows = IndexedBatch<RowWith<"answerClusters">>;

export const siop = defineCredit({
  info: {
    title: "SIOP",
    paper: "Self-Induced Outcome Potential: Turn-Level Credit Assignment for Agents without Verifiers",
    confidence: "code",
    source:
      "dl-m9/SIOP @ a871ef90; verl/utils/siop/siop_process_reward.py: compute_siop_process_rewards; verl/trainer/ppo/core_algos.py: compute_siop_turn_level_advantage",
    formula: [
      "q = share of the answer's cluster among the task's answered trajectories, in proportion to size * exp(eta * mean evidence)",
      "r_k = q * (ln(p_k + 1e-8) - ln(p_(k-1) + 1e-8)),   p the likelihood of the cluster's members;   last turn: (1 - lambda) * q more;   one turn: (1 - lambda) * q alone",
      "A_k = z(r_k) + gamma * A_(k+1),   z over all turns of the task, r_k = 0 for those of a trajectory without an answer; a deviation below 1e-6 counts as 1, a single turn is 0",
    ],
    meaning: "Treats what rollouts agree on as the answer, and pays turns for leading to it.",
    departures: [
      "The script has eta 1, the method's default 0; here 0. Published evidence of a cluster is the mean over its members that have any; here a member without counts as 0.",
      "The likelihood is the caller's. Published, it is the mean over up to 3 wordings of the cluster's answer (1 without the script), each the geometric mean of its tokens' probabilities; a turn without a finite one earns 0.",
      "Published code can pay the majority's cluster (1 or 0) or each cluster's share at the end alone instead, put a given answer in the cluster's place, or spread one advantage over the trajectory; its script does none of these, and here there is none.",
      "Published code adds 1e-6 to the deviation; here nothing.",
    ],
  },
  needs: ["answerClusters"],
  options: {
    lambda: share(0.5, "the last turn earns 1 - lambda times its cluster's share more; the way to the answer weighs 1"),
    eta: option.number(0, "weight of the evidence for a cluster"),
    gamma: gamma(1, "turn rewards"),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "Three of four rollouts gave answer a (two of them shown by one turn); the first came to it step by step.",
    batch: episodes({
      X: bySignal(
        0,
        { cluster: { id: "a", before: 0.2, after: 0.5 } },
        { cluster: { id: "a", before: 0.5, after: 0.6 } },
      ),
      Y: bySignal(
        0,
        { cluster: { id: "b", before: 0.3, after: 0.3 } },
        { cluster: { id: "b", before: 0.3, after: 0.3 } },
      ),
    }),
  },
  compute: (batch, options) => {
    const shares = clusterShares(batch, options.eta);
    const rewards = new Float64Array(batch.rows.length);
    for (const [trajectory, steps] of trajectoriesOf(batch)) {
      const ownShare = real(shares, trajectory);
      if (ownShare === 0) continue;
      for (const [place, at] of steps.entries()) {
        const { before, after } = entry(batch.rows, at).signals.cluster;
        const progress = steps.length === 1 ? 0 : Math.log(after + SMALL) - Math.log(before + SMALL);
        rewards[at] = ownShare * (progress + (place === steps.length - 1 ? 1 - options.lambda : 0));
      }
    }
    return {
      terms: {
        potential: { weight: 1, perRow: discountedSums(batch, pooled(batch, rewards), options.gamma) },
      },
      metrics: { answered: countOf(shares) },
    };
  },
});

/** q of each trajectory's cluster; 0 without an answer. The last row says what the answer was. */
function clusterShares(batch: Rows, eta: number): Float64Array {
  const groups = trajectoryGroups(batch);
  const clusters = Array.from({ length: groups.count }, () => new Map<string, { size: number; evidence: number }>());
  const ids = Array.from(groups.of, (task, at) => {
    const steps = stepsOf(batch, at);
    const { id, evidence = 0 } = entry(batch.rows, intAt(steps, steps.length - 1)).signals.cluster;
    if (id === null) return null;
    const known = entry(clusters, task).get(id) ?? { size: 0, evidence: 0 };
    entry(clusters, task).set(id, { size: known.size + 1, evidence: known.evidence + evidence });
    return id;
  });
  const weights = clusters.map(
    (own) => new Map([...own].map(([id, { size, evidence }]) => [id, size * Math.exp((eta * evidence) / size)])),
  );
  const totals = weights.map((own) => [...own.values()].reduce((sum, weight) => sum + weight, 0));
  return Float64Array.from(ids, (id, at) => {
    const task = intAt(groups.of, at);
    return id === null ? 0 : (entry(weights, task).get(id) ?? 0) / entry(totals, task);
  });
}

/** z over the rows of each task; a single row gives 0. */
function pooled(batch: IndexedBatch, rewards: Float64Array): Float64Array {
  const groups = taskGroups(batch);
  const { centres, scales, sizes } = groupStatistics(rewards, groups, { singleton: "zero", epsilon: 0 });
  return rewards.map((reward, at) => {
    const task = intAt(groups.of, at);
    if (intAt(sizes, task) < 2) return 0;
    const scale = real(scales, task);
    return (reward - real(centres, task)) / (scale < FLAT ? 1 : scale);
  });
}
