/** What holds for a family rather than for every method: telescoping, siblings, teachers that know nothing, gates. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { assignCredit, prepareBatch } from "./assign.ts";
import { stepsOf } from "./batch-index.ts";
import { branchPoints } from "./branch-points.ts";
import type { CreditBatch, CreditMethod, CreditRow } from "./credit.ts";
import { infopo } from "./infopo.ts";
import { multiContextGrpo } from "./multi-context-grpo.ts";
import { pbsd, turnWeights } from "./pbsd.ts";
import { randomBatch } from "./random-batch.ts";
import { rose } from "./rose.ts";
import { rowTree } from "./row-tree.ts";
import { spoChain } from "./spo-chain.ts";
import { spoTree } from "./spo-tree.ts";
import { treepsRag } from "./treeps-rag.ts";

const shape = fc.record({
  seed: fc.nat(),
  tasks: fc.integer({ min: 1, max: 2 }),
  trajectories: fc.integer({ min: 1, max: 6 }),
  steps: fc.integer({ min: 1, max: 4 }),
  tokens: fc.integer({ min: 2, max: 5 }),
});
const forAll = (check: (batch: CreditBatch) => void, branches = true) =>
  fc.assert(
    fc.property(shape, (drawn) => check(randomBatch({ ...drawn, branches, plain: true }))),
    { numRuns: 40 },
  );
/** Every token trained, so that advantages can be read anywhere. */
const whole = ({ rows, trajectories }: CreditBatch): CreditBatch => ({
  rows: rows.map((row) => ({ ...row, mask: row.mask.map(() => 1) })),
  trajectories,
});
/** Every row an edge, whoever branches there. */
const BY_ROW = { segment: "row", maskAbove: null } as const;
const first = (values: Float64Array | undefined): number => values?.[0] ?? Number.NaN;

test("edges along a path add up to the leaf's outcome less the root's value", () => {
  forAll((given) => {
    const batch = prepareBatch(whole(given));
    const { parent, isLeaf } = rowTree(batch);
    for (const credit of [spoTree, treepsRag]) {
      const { advantages } = assignCredit(credit as CreditMethod, batch, credit === spoTree ? BY_ROW : {});
      const roots = new Map<string, number>();
      for (const [at, leaf] of isLeaf.entries()) {
        if (leaf === 0) continue;
        let sum = 0;
        for (let row = at; row !== -1; row = parent[row] as number) sum += first(advantages[row]);
        const { task, trajectory } = batch.rows[at] as CreditRow;
        // The same root for all leaves of a task.
        const root = (batch.trajectories.get(trajectory)?.outcome ?? 0) - sum;
        expect(root).toBeCloseTo(roots.get(task) ?? root, 9);
        roots.set(task, root);
      }
    }
  });
});

test("edges of siblings add up to 0 where children weigh alike", () => {
  forAll((given) => {
    const batch = prepareBatch(whole(given));
    const { siblings } = rowTree(batch);
    const { advantages } = assignCredit(spoTree, batch, BY_ROW);
    const sums = new Float64Array(siblings.count);
    for (const [at, group] of siblings.of.entries()) sums[group] = (sums[group] as number) + first(advantages[at]);
    for (const sum of sums) expect(sum).toBeCloseTo(0, 9);
  });
});

test("segments of a chain add up to the score less the first value", () => {
  forAll((given) => {
    const batch = whole(given);
    const { advantages } = assignCredit(spoChain, batch, { maskAbove: null });
    for (const [at, row] of batch.rows.entries()) {
      const cuts = row.signals?.cuts ?? [];
      // One token of each segment; a cut behind the last token leaves the last segment empty.
      const starts = cuts.map(({ token }) => token + 1).filter((token) => token < row.mask.length);
      const sum = starts.reduce((total, token) => total + (advantages[at]?.[token] ?? 0), 0);
      const outcome = batch.trajectories.get(row.trajectory)?.outcome ?? 0;
      const end = starts.length === cuts.length ? outcome : (cuts.at(-1)?.value ?? 0);
      expect(sum).toBeCloseTo(end - (cuts[0]?.value ?? 0), 9);
    }
  }, false);
});

test("stretches of a tree add up to the outcome less the root's value, which all ways of a task share", () => {
  fc.assert(
    fc.property(shape, (drawn) => {
      const batch = prepareBatch(whole(randomBatch({ ...drawn, steps: 1, branches: true, plain: true })));
      const { advantages } = assignCredit(spoTree, batch, { maskAbove: null });
      const points = branchPoints(batch);
      const roots = new Map<string, number>();
      for (const [at, { task, trajectory, mask }] of batch.rows.entries()) {
        const own = points[batch.index.trajectoryOf[at] as number] ?? [];
        const starts = [0, ...own.map(({ token }) => token)];
        // A branch may leave behind the end of a short random response; its stretches cannot be read there.
        if (starts.some((token) => token >= mask.length)) continue;
        const sum = starts.reduce((total, token) => total + (advantages[at]?.[token] ?? 0), 0);
        const root = (batch.trajectories.get(trajectory)?.outcome ?? 0) - sum;
        expect(root).toBeCloseTo(roots.get(task) ?? root, 9);
        roots.set(task, root);
      }
    }),
    { numRuns: 60 },
  );
});

test("segments between branch points add up to the outcome less the task's mean", () => {
  fc.assert(
    fc.property(shape, (drawn) => {
      const batch = prepareBatch(whole(randomBatch({ ...drawn, steps: 1, branches: true, plain: true })));
      const { advantages } = assignCredit(rose, batch);
      const points = branchPoints(batch);
      for (const [at, row] of batch.rows.entries()) {
        const own = points[batch.index.trajectoryOf[at] as number] ?? [];
        const starts = [0, ...own.map(({ token }) => token)];
        // A branch may leave behind the end of a short random response; its segments cannot be read there.
        if (starts.some((token) => token >= row.mask.length)) continue;
        const sum = starts.reduce((total, token) => total + (advantages[at]?.[token] ?? 0), 0);
        const rows = batch.rows.filter(({ task }) => task === row.task);
        const outcomes = rows.map(({ trajectory }) => batch.trajectories.get(trajectory)?.outcome ?? 0);
        const mean = outcomes.reduce((total, one) => total + one, 0) / outcomes.length;
        expect(sum).toBeCloseTo((batch.trajectories.get(row.trajectory)?.outcome ?? 0) - mean, 9);
      }
    }),
    { numRuns: 60 },
  );
});

test("a teacher that knows nothing changes nothing", () => {
  forAll((given) => {
    const rows = given.rows.map((row) => {
      const old = row.logprobs?.old ?? new Float64Array();
      return { ...row, logprobs: { ...row.logprobs, answerTeacher: old, withoutObservation: old } };
    });
    const batch = { ...given, rows };
    const plain = assignCredit(multiContextGrpo, batch).advantages;
    expect(assignCredit(pbsd, batch).advantages).toEqual(plain);
    expect(assignCredit(infopo, batch, { equalTurns: false }).advantages).toEqual(plain);
  });
});

test("gates lie in (0, 0.5], weights of turns have mean 1", () => {
  forAll((given) => {
    const batch = prepareBatch(given);
    const gate = assignCredit(infopo, batch).metrics["meanGate"] ?? 0;
    expect(gate).toBeGreaterThan(0);
    expect(gate).toBeLessThanOrEqual(0.5);
    for (let trajectory = 0; trajectory < batch.index.trajectories; trajectory += 1) {
      const weights = turnWeights(batch, stepsOf(batch, trajectory), 1, { temperature: 1, clamp: 5, perToken: false });
      expect(weights.reduce((sum, weight) => sum + weight, 0) / weights.length).toBeCloseTo(1, 9);
    }
  });
});
