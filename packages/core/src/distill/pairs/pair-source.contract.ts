/**
 * The contract suite of sources of pairs: one test per promise, with any runner that has `describe` and `test`.
 *
 *   pairSourceContract({ name: "mine", source: mine, runner: { describe, test } });
 *
 * Forests come from fast-check, which must be installed beside the runner.
 */
import { EngineError } from "limbeck-base/base/errors";
import { createRng, shuffle } from "limbeck-base/base/rng";
import { resolveOptions } from "limbeck-base/base/options";
import type { Runner } from "limbeck-base/base/test-runner";
import { optionalPart } from "limbeck-base/base/optional-part";
import { createForest } from "limbeck-base/trajectory/forest";
import { unscored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { contextOf } from "./answers.ts";
import { buildPairRows } from "./pair-rows.ts";
import type { Pair, PairSource, Side } from "./pair.ts";
import { randomForest, type ForestShape } from "./random-forest.ts";

export interface PairSourceContractOptions {
  readonly name: string;
  readonly source: PairSource;
  readonly runner: Runner;
  /** Random forests for each promise. Default: 40. */
  readonly runs?: number;
}

type Promised = (source: PairSource, shape: ForestShape) => void;

const PROMISES: Readonly<Record<string, Promised>> = {
  "sides are own steps of one task and differ; margins are above 0, ids are unique": sidesFit,
  "the forest comes back as it was, and its order does not matter": isPure,
  "steps are compared only where the very same tokens were read before": stepsShareContext,
  "where nobody knows an outcome nothing is preferred": needsOutcomes,
  "rows train the compared answers and nothing else": rowsAreExact,
};

/**
 * Registers the suite.
 *
 * @example
 * import { pairSources } from "limbeck/update";
 *
 * const tests: (() => Promise<void>)[] = [];
 * const runner = { describe: (_: string, body: () => void) => body(), test: (_: string, body: () => Promise<void>) => tests.push(body) };
 * pairSourceContract({ name: "episodes", source: pairSources.episodes, runs: 2, runner });
 * for (const one of tests) await one();
 * console.log(tests.length); // 5
 */
export function pairSourceContract({ name, source, runner, runs = 40 }: PairSourceContractOptions): void {
  runner.describe(`${name} keeps the contract of pair sources`, () => {
    for (const [title, check] of Object.entries(PROMISES)) {
      runner.test(title, async () => {
        const fc = await optionalPart("suites", () => import("fast-check"));
        const shape = fc.record({
          seed: fc.nat(),
          tasks: fc.integer({ min: 1, max: 2 }),
          episodes: fc.integer({ min: 1, max: 6 }),
          steps: fc.integer({ min: 1, max: 4 }),
        });
        fc.assert(
          fc.property(shape, (one) => check(source, one)),
          { numRuns: runs },
        );
      });
    }
  });
}

function found(source: PairSource, trajectories: readonly Trajectory[]): Pair[] {
  return source.find(trajectories, resolveOptions(source.options, {}, "the source"));
}

function sidesFit(source: PairSource, shape: ForestShape): void {
  const forest = randomForest(shape);
  const byId = createForest(forest);
  const pairs = found(source, forest);
  if (new Set(pairs.map(({ id }) => id)).size !== pairs.length) throw broken("two pairs have one id");
  for (const { id, task, chosen, rejected, margin } of pairs) {
    if (!(margin > 0 && Number.isFinite(margin))) throw broken(`pair "${id}" has margin ${margin}`);
    if (JSON.stringify(chosen) === JSON.stringify(rejected)) throw broken(`pair "${id}" compares a side with itself`);
    for (const side of [chosen, rejected]) {
      const own = byId.get(side.trajectory);
      if (own?.task.id !== task)
        throw broken(`pair "${id}" names "${side.trajectory}", which is not of task "${task}"`);
      const indices = own.steps.map(({ index }) => index);
      if (side.steps.length === 0 || side.steps.some((step) => !indices.includes(step))) {
        throw broken(
          `pair "${id}" compares steps ${side.steps.join(", ")} of "${own.id}", which has ${indices.join(", ")}`,
        );
      }
    }
  }
}

function isPure(source: PairSource, shape: ForestShape): void {
  const forest = randomForest(shape);
  const copy = structuredClone(forest);
  const named = (pairs: readonly Pair[]): string => JSON.stringify(pairs.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  const first = named(found(source, forest));
  if (JSON.stringify(forest) !== JSON.stringify(copy)) throw broken("the trajectories were changed");
  if (named(found(source, shuffle(forest, createRng(shape.seed)))) !== first)
    throw broken("another order gives other pairs");
}

function stepsShareContext(source: PairSource, shape: ForestShape): void {
  if (source.level !== "step") return;
  const forest = randomForest(shape);
  const byId = createForest(forest);
  for (const { id, chosen, rejected } of found(source, forest)) {
    if (chosen.steps.length !== 1 || rejected.steps.length !== 1) throw broken(`pair "${id}" has more than one step`);
    const [left, right] = [chosen, rejected].map(({ trajectory, steps }) =>
      contextOf(byId, byId.get(trajectory) as Trajectory, steps[0] as number)?.join(" "),
    );
    if (left !== right) throw broken(`the sides of pair "${id}" were said in different contexts`);
    const [one, other] = [chosen, rejected].map((side) => actionOf(byId.get(side.trajectory), side));
    if (one === other) throw broken(`both sides of pair "${id}" do "${one}"`);
  }
}

function needsOutcomes(source: PairSource, shape: ForestShape): void {
  const forest = randomForest(shape).map((one) => ({ ...one, reward: unscored("nobody looked"), success: null }));
  const pairs = found(source, forest);
  if (pairs.length > 0) throw broken(`${pairs.length} pairs without a single outcome`);
  if (found(source, []).length > 0) throw broken("pairs of nothing");
}

function rowsAreExact(source: PairSource, shape: ForestShape): void {
  const forest = randomForest(shape);
  const byId = createForest(forest);
  const pairs = found(source, forest);
  const { rows, lost } = buildPairRows(pairs, forest);
  if (lost > 0) throw broken(`${lost} pairs gave no rows though every step has tokens`);
  for (const { id, chosen, rejected } of pairs) {
    for (const [rank, side] of [rejected, chosen].entries()) {
      const own = rows.filter((row) => row.pair === id && row.rank === rank);
      const trained = own.flatMap(({ ids, mask }) => [...ids].filter((_, at) => mask[at] === 1));
      const said = saidBy(byId.get(side.trajectory), side);
      if (trained.join(" ") !== said.join(" ")) throw broken(`side ${rank} of pair "${id}" trains other tokens`);
    }
  }
}

function saidBy(trajectory: Trajectory | undefined, { steps }: Side): number[] {
  return (trajectory?.steps ?? []).flatMap(({ index, span }) =>
    steps.includes(index) && span !== undefined
      ? [...(trajectory?.streams[span.stream]?.ids.subarray(span.start, span.end) ?? [])]
      : [],
  );
}

function actionOf(trajectory: Trajectory | undefined, { steps }: Side): string | undefined {
  return trajectory?.steps.find(({ index }) => index === steps[0])?.action;
}

function broken(what: string): EngineError {
  return new EngineError("contract-broken", `The contract of pair sources is broken: ${what}.`);
}
