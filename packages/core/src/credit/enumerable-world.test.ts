/**
 * A world small enough to count out: three steps of two actions, a reward that depends on the path, and a policy with
 * known probabilities. Estimators that sample values must come to the exact ones as they sample more.
 */
import { expect, test } from "vitest";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { assignCredit } from "./assign.ts";
import type { CreditMethod, CreditBatch, CreditRow } from "./credit.ts";
import { branchGrpo } from "./branch-grpo.ts";
import { grpo } from "./grpo.ts";
import { mcCritic } from "./mc-critic.ts";
import { pbsd, turnEvidence } from "./pbsd.ts";
import type { Outcome } from "./row.ts";
import { spoTree } from "./spo-tree.ts";
import { treepsRag } from "./treeps-rag.ts";

const DEPTH = 3;
/** Probability of action 1; it depends on what was done before. */
const chance = (path: readonly number[]): number => 0.3 + 0.4 * ((path.at(-1) ?? 1) === 1 ? 1 : 0) - 0.1 * path.length;
/** Right are 1-0-1, and anything that begins with 0 and ends with 0. */
const reward = (path: readonly number[]): number =>
  path.join("") === "101" || (path[0] === 0 && path[2] === 0) ? 1 : 0;

/** The true value of a prefix under the policy, by counting out. */
function valueOf(path: readonly number[]): number {
  if (path.length === DEPTH) return reward(path);
  const one = chance(path);
  return one * valueOf([...path, 1]) + (1 - one) * valueOf([...path, 0]);
}

const sampleAction = (path: readonly number[], rng: Rng): number => (rng.float() < chance(path) ? 1 : 0);

function play(from: readonly number[], rng: Rng): number[] {
  const path = [...from];
  while (path.length < DEPTH) path.push(sampleAction(path, rng));
  return path;
}

/** A tree in which every node has `width` sampled children: the branching of SPO-tree and TreePS-RAG. */
function sampledTree(width: number, rng: Rng): { readonly batch: CreditBatch; readonly paths: number[][] } {
  const rows: CreditRow[] = [];
  const paths: number[][] = [];
  const outcomes = new Map<string, Outcome>();
  const grow = (trajectory: string, parent: CreditRow["parent"], from: readonly number[]): void => {
    const path = play(from, rng);
    outcomes.set(trajectory, { outcome: reward(path), success: reward(path) === 1 });
    for (let step = from.length; step < DEPTH; step += 1) {
      rows.push({ task: "t", trajectory, step, valid: true, mask: Uint8Array.of(1), ...(parent && { parent }) });
      paths.push(path.slice(0, step + 1));
      // The other children of the node that this step left stand at the same step of branches of this trajectory.
      if (step === from.length) continue;
      for (let child = 1; child < width; child += 1) {
        grow(`${trajectory}.${step}.${child}`, { trajectory, step }, path.slice(0, step));
      }
    }
  };
  for (let child = 0; child < width; child += 1) grow(`r${child}`, undefined, []);
  return { batch: { rows, trajectories: outcomes }, paths };
}

/** Distances of the mean advantage of every path prefix from the exact V(prefix) - V(prefix without its last action). */
function errors(advantages: readonly Float64Array[], paths: readonly (readonly number[])[]): number[] {
  const sums = new Map<string, { sum: number; count: number; path: readonly number[] }>();
  for (const [at, path] of paths.entries()) {
    const known = sums.get(path.join("")) ?? { sum: 0, count: 0, path };
    sums.set(path.join(""), { path, sum: known.sum + (advantages[at]?.[0] ?? 0), count: known.count + 1 });
  }
  return [...sums.values()].map(({ sum, count, path }) =>
    Math.abs(sum / count - (valueOf(path) - valueOf(path.slice(0, -1)))),
  );
}

test.each([
  ["spo-tree", spoTree],
  ["treeps-rag", treepsRag],
])("%s comes to the true step values as the tree grows wider", (_, credit) => {
  // Mean distance over five trees of each width.
  const errorAt = (width: number): number => {
    const found = [0, 1, 2, 3, 4].flatMap((seed) => {
      const { batch, paths } = sampledTree(width, createRng(`tree ${width} ${seed}`));
      return errors(assignCredit(credit as CreditMethod, batch).advantages, paths);
    });
    return found.reduce((sum, error) => sum + error, 0) / found.length;
  };
  const [few, some, many] = [3, 9, 20].map(errorAt) as [number, number, number];
  expect(some).toBeLessThan(few);
  expect(many).toBeLessThan(some);
  // A node's value has a standard error of at most 0.5 / sqrt(20) = 0.11; mean distances are smaller.
  expect(many).toBeLessThan(0.06);
});

test("a tree that holds every path as often as the policy takes it gives the values exactly", () => {
  // Probabilities are multiples of 0.1, so that ten children at every node hold each action exactly as often as it
  // is taken, and a node's value is the plain mean of its children.
  const rows: CreditRow[] = [];
  const paths: number[][] = [];
  const trajectories = new Map<string, Outcome>();
  const childrenOf = (path: readonly number[]): number[] => {
    const ones = Math.round(10 * chance(path));
    return Array.from({ length: 10 }, (_, at) => (at < ones ? 1 : 0));
  };
  const grow = (trajectory: string, parent: CreditRow["parent"], from: readonly number[], action: number): void => {
    const path = [...from, action];
    const start = from.length;
    while (path.length < DEPTH) path.push(childrenOf(path)[0] as number);
    trajectories.set(trajectory, { outcome: reward(path), success: null });
    for (let step = start; step < DEPTH; step += 1) {
      rows.push({ task: "t", trajectory, step, valid: true, mask: Uint8Array.of(1), ...(parent && { parent }) });
      paths.push(path.slice(0, step + 1));
      if (step === start) continue;
      const before = path.slice(0, step);
      for (const [child, other] of childrenOf(before).slice(1).entries()) {
        grow(`${trajectory}.${step}.${child}`, { trajectory, step }, before, other);
      }
    }
  };
  for (const [child, action] of childrenOf([]).entries()) grow(`r${child}`, undefined, [], action);
  for (const credit of [spoTree, treepsRag]) {
    const { advantages } = assignCredit(credit as CreditMethod, { rows, trajectories });
    expect(Math.max(...errors(advantages, paths))).toBeLessThan(1e-12);
  }
});

test("mc-critic comes to the true step values as continuations grow in number", () => {
  const errorAt = (continuations: number): number => {
    const rng = createRng(`critic ${continuations}`);
    const estimate = (path: readonly number[]): number => {
      let sum = 0;
      for (let one = 0; one < continuations; one += 1) sum += reward(play(path, rng));
      return sum / continuations;
    };
    let largest = 0;
    for (const text of ["000", "011", "101", "110"]) {
      const path = text.split("").map(Number);
      const rows = path.map((_, step): CreditRow => ({
        task: "t",
        trajectory: text,
        step,
        valid: true,
        mask: Uint8Array.of(1),
        reward: step === DEPTH - 1 ? reward(path) : 0,
        signals: { stateValue: { before: estimate(path.slice(0, step)) } },
      }));
      const trajectories = new Map([[text, { outcome: reward(path), success: null }]]);
      const { advantages } = assignCredit(mcCritic, { rows, trajectories }, { gamma: 1 });
      for (const [step, [found = 0]] of advantages.entries()) {
        const exact = valueOf(path.slice(0, step + 1)) - valueOf(path.slice(0, step));
        largest = Math.max(largest, Math.abs(found - exact));
      }
    }
    return largest;
  };
  const [few, many] = [errorAt(10), errorAt(4000)];
  // Standard error of 4,000 draws is at most 0.008; a difference of two, and the largest of twelve.
  expect(many).toBeLessThan(0.04);
  expect(many).toBeLessThan(few);
});

test("pbsd's turn scores are the exact posterior ratios of the answer", () => {
  // The answer is "the task was solved" or "it was not". The policy that knows it plays as the plain one would among
  // the ways that end so: p(action | path, answer) = p(action | path) V(path, action) / V(path).
  const answers = [
    { solved: true, worth: valueOf },
    { solved: false, worth: (path: readonly number[]) => 1 - valueOf(path) },
  ];
  for (const { solved, worth } of answers) {
    for (const text of ["000", "010", "101", "111", "110"]) {
      const path = text.split("").map(Number);
      if ((reward(path) === 1) !== solved) continue;
      const rows = path.map((action, step): CreditRow => {
        const before = path.slice(0, step);
        const plain = action === 1 ? chance(before) : 1 - chance(before);
        const told = (plain * worth(path.slice(0, step + 1))) / worth(before);
        const logprobs = { old: Float64Array.of(Math.log(plain)), answerTeacher: Float64Array.of(Math.log(told)) };
        return { task: "t", trajectory: text, step, valid: true, mask: Uint8Array.of(1), logprobs };
      });
      let total = 0;
      for (const [step, row] of rows.entries()) {
        // Bayes: ln p(turn | history, answer) / p(turn | history) = ln p(answer | with the turn) / p(answer | before).
        const exact = Math.log(worth(path.slice(0, step + 1)) / worth(path.slice(0, step)));
        expect(turnEvidence(row)).toBeCloseTo(exact, 12);
        total += turnEvidence(row);
      }
      // Over the whole way: ln p(answer | trajectory) / p(answer), where the trajectory decides the answer.
      expect(total).toBeCloseTo(Math.log(1 / worth([])), 12);
      // Two ways of opposite outcome around 0: advantages 0.707106 and -0.707106, shared by the softmax of the scores.
      const rival = { ...(rows[0] as CreditRow), trajectory: "rival", step: 0 };
      const trajectories = new Map<string, Outcome>([
        [text, { outcome: solved ? 1 : 0, success: solved }],
        ["rival", { outcome: solved ? 0 : 1, success: !solved }],
      ]);
      const { advantages } = assignCredit(pbsd, { rows: [...rows, rival], trajectories });
      const sign = solved ? 1 : -1;
      const powers = rows.map((row) => Math.exp(sign * turnEvidence(row)));
      const whole = powers.reduce((sum, power) => sum + power, 0);
      for (const [step, power] of powers.entries()) {
        expect(advantages[step]?.[0]).toBeCloseTo((sign * 0.707106 * (3 * power)) / whole, 5);
      }
    }
  }
});

/** How much the advantage of a node above the leaves varies from tree to tree where the path to it is the same. */
function varianceAbove(credit: CreditMethod, trees: readonly ReturnType<typeof sampledTree>[]): number {
  const seen = new Map<string, number[]>();
  for (const { batch, paths } of trees) {
    const { advantages } = assignCredit(credit, batch);
    for (const [at, path] of paths.entries()) {
      if (path.length === DEPTH) continue;
      seen.set(path.join(""), [...(seen.get(path.join("")) ?? []), advantages[at]?.[0] ?? 0]);
    }
  }
  const all = [...seen.values()];
  const squares = all.map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  });
  return squares.reduce((sum, square) => sum + square, 0) / all.flat().length;
}

test("branch-grpo: fused advantages of a depth vary less than those of the end alone, on the same leaves", () => {
  // Both divide by a deviation, so that both vary alike over all nodes; what is left where the path is the same is noise.
  const trees = Array.from({ length: 300 }, (_, seed) => sampledTree(4, createRng(`branches ${seed}`)));
  const [fused, terminal] = [varianceAbove(branchGrpo, trees), varianceAbove(grpo, trees)];
  expect(fused).toBeLessThan(terminal);
});
