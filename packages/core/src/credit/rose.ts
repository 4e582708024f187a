/**
 * ROSE: a response is cut where branches left it; each segment earns the change of the mean reward between its ends.
 */
import { option } from "limbeck-base/base/option";
import { withoutUndefined } from "limbeck-base/base/fields";
import { trajectoriesOf } from "./batch-index.ts";
import { type BranchPoint, branchPoints, changes, fillStretches, type Position } from "./branch-points.ts";
import { entry, groupMeans, onMembers, real, intAt } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { answers } from "./examples.ts";
import { trajectoryGroups } from "./groups.ts";
import { correctTokens, penaliseLength, START } from "./length-penalty.ts";
import { tokenArrays } from "./tokens.ts";

export const rose = defineCredit({
  info: {
    title: "ROSE",
    paper: "ROSE: Reinforced Efficient Reasoning via Semantically Diverse Exploration",
    confidence: "code",
    source:
      "ZiqiZhao1/ROSE-rl @ 2142dc79; verl/trainer/ppo/core_algos.py: compute_grpo_iterative_branching_outcome_advantage",
    formula: [
      "V(start) = mean outcome of the task;   V(point) = mean outcome of the trajectories that pass the branch point",
      "A = V(next point) - V(point) on the tokens between;   after the last point: outcome - V(last point)",
      "lengthPenalty p: a correct response that is longer than the shortest correct one, behind the point where they part: A - |A| * (1 - (rest of the shortest / own rest)^p)",
    ],
    meaning: "Credits what was written between two branch points with the change of the expected reward.",
    departures: [
      "Published code keys V by token position alone, which merges different paths; here by path and position. Option key.",
      "A branch that leaves its parent before the parent began does not pass the parent's own beginning; in published code it does.",
      "The length penalty of correct responses is off, as in the published script (option lengthPenalty). Published code calls a response correct whose reward is not 0, a negative one too; here one that succeeded or, where that is unknown, earned more than 0.",
      "Branches may leave at a step or, with parent.token, inside a response. Published responses are whole paths, so that shared tokens count in the loss once for each response that has them, and a length penalty reaches them in each; here once, with the penalty of the response that wrote them.",
      "Published code takes tokens of id 0 off a response's length, so that as many of its last tokens earn nothing; here every trained token counts.",
      "A published training leaves out groups whose rewards are all equal and draws up to 8 times for others; here they stay, with advantages of 0, and count in the mean. A divergence of 0.001 to the first model and sums over tokens that are divided by a constant are settings of the training.",
    ],
  },
  needs: ["branches"],
  options: {
    key: option.choice(
      "path",
      ["path", "position"],
      "points of different paths at one position are different points, or the same one",
    ),
    lengthPenalty: option.limit(null, "exponent of the length penalty", { least: 0 }),
  },
  laws: { shift: true, scale: "proportional", zeroSum: false },
  example: {
    about: "The second answer leaves the first after two tokens; the third is on its own.",
    batch: answers(
      [1, 0, 0],
      [{ mask: [1, 1, 1] }, { mask: [1, 1, 1], parent: { trajectory: "r0", step: 0, token: 2 } }, { mask: [1] }],
    ),
  },
  compute: (batch, options) => {
    const points = branchPoints(batch);
    const valueOf = options.key === "path" ? pathValues(batch) : positionValues(batch, points);
    const { outcomeOf } = batch.index;
    const groups = trajectoryGroups(batch);
    const starts = onMembers(groups, groupMeans(groups, outcomeOf));
    const values = tokenArrays(batch.rows);
    let branchings = 0;
    for (const [trajectory, steps] of trajectoriesOf(batch)) {
      const own = entry(points, trajectory);
      branchings = Math.max(branchings, own.length);
      const levels = [real(starts, trajectory), ...own.map(valueOf), real(outcomeOf, trajectory)];
      for (const at of steps) fillStretches(entry(values, at), entry(batch.rows, at), own, changes(levels));
    }
    if (options.lengthPenalty !== null) {
      const parting = options.key === "path" ? undefined : lastShared(points);
      penaliseLength(batch, values, options.lengthPenalty, parting);
    }
    const metrics = withoutUndefined({ mostBranchPoints: branchings, correctTokens: correctTokens(batch) });
    return { terms: { segment: { weight: 1, perToken: values } }, metrics };
  },
});

function pathValues({ index }: IndexedBatch): (point: BranchPoint) => number {
  return ({ through }) => through.reduce((sum, at) => sum + real(index.outcomeOf, at), 0) / through.length;
}

/** All trajectories of the task that have a branch point at this position, whatever came before it. */
function positionValues(
  batch: IndexedBatch,
  points: readonly (readonly BranchPoint[])[],
): (point: BranchPoint) => number {
  const { of } = trajectoryGroups(batch);
  const sums = new Map<string, { sum: number; count: number }>();
  const keyOf = (task: number, { step, token }: BranchPoint): string => `${task}/${step}/${token}`;
  for (const [at, own] of points.entries()) {
    for (const key of new Set(own.map((point) => keyOf(intAt(of, at), point)))) {
      const known = sums.get(key) ?? { sum: 0, count: 0 };
      sums.set(key, { sum: known.sum + real(batch.index.outcomeOf, at), count: known.count + 1 });
    }
  }
  return (point) => {
    const { sum = 0, count = 1 } = sums.get(keyOf(intAt(of, entry(point.through, 0)), point)) ?? {};
    return sum / count;
  };
}

/** The last position at which both have a branch point, whether or not their paths meet there. */
function lastShared(points: readonly (readonly BranchPoint[])[]): (left: number, right: number) => Position {
  return (left, right) => {
    const other = points[right] ?? [];
    const isShared = ({ step, token }: BranchPoint): boolean =>
      other.some((point) => point.step === step && point.token === token);
    return (points[left] ?? []).findLast(isShared) ?? START;
  };
}
