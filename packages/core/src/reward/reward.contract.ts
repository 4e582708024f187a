/**
 * The contract suite of rewards: one test per promise, with any runner that has `describe` and `test`.
 *
 *   rewardContract({ name: "my reward", reward: myReward, runner: { describe, test } });
 *
 * A reward that needs something from outside is given a stand-in that answers from the text alone; pass `givens` where
 * yours needs other ones. Batches come from fast-check, which must be installed beside the runner.
 */
import { createRng, shuffle } from "limbeck-base/base/rng";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import type { Runner } from "limbeck-base/base/test-runner";
import { optionalPart } from "limbeck-base/base/optional-part";
import { validateForest } from "limbeck-base/trajectory/forest";
import type { Reward, Trajectory } from "limbeck-base/trajectory/trajectory";
import { askRewards, type Given } from "./give-rewards.ts";
import { randomTrajectories, type TrajectoriesShape } from "./random-trajectories.ts";
import type { Givens, Need, RewardMethod } from "./reward.ts";
import { withRewards } from "./plan.ts";

export interface RewardContractOptions {
  readonly name: string;
  readonly reward: RewardMethod;
  readonly runner: Runner;
  /** Options to try beside the defaults. */
  readonly options?: readonly Readonly<Record<string, unknown>>[];
  readonly givens?: Givens;
  /** Random batches for each promise and set of options. Default: 20. */
  readonly runs?: number;
}

interface Trial {
  readonly reward: RewardMethod;
  readonly givens: Givens;
  readonly options: Readonly<Record<string, unknown>>;
  readonly shape: TrajectoriesShape;
}

type Promised = (trial: Trial) => Promise<void>;

/**
 * Registers the suite.
 *
 * @example
 * import { getReward } from "limbeck/reward";
 *
 * const tests: (() => Promise<void>)[] = [];
 * const runner = { describe: (_: string, body: () => void) => body(), test: (_: string, body: () => Promise<void>) => tests.push(body) };
 * rewardContract({ name: "efficiency", reward: getReward("efficiency"), runs: 2, runner });
 * for (const one of tests) await one();
 * console.log(tests.length); // 6
 */
export function rewardContract({
  name,
  reward,
  runner,
  options = [],
  givens = {},
  runs = 20,
}: RewardContractOptions): void {
  const promises: Readonly<Record<string, Promised>> = {
    "every trajectory gets a list, and what it gets fits its steps and tokens": fits,
    "the batch comes back as it was, and the same batch gives the same rewards": isPure,
    "shuffling the batch shuffles the rewards and nothing else": permutes,
    "scores are finite or unscored with a reason; no steps, no batch and huge numbers are fine": staysFinite,
    "what it needs may fail or say NaN: that is unscored, not zero": failuresAreUnscored,
  };
  runner.describe(`${name} keeps the reward contract`, () => {
    for (const [title, check] of Object.entries(promises)) {
      runner.test(title, async () => {
        for (const own of [{}, ...options]) {
          await tryBatches(runs, (shape) => check({ reward, givens: { ...standIns, ...givens }, options: own, shape }));
        }
      });
    }
    runner.test("an option it does not have and a need that is not met are refused by name", () => refuses(reward));
  });
}

async function tryBatches(runs: number, check: (shape: TrajectoriesShape) => Promise<void>): Promise<void> {
  const fc = await optionalPart("suites", () => import("fast-check"));
  const shape = fc.record({
    seed: fc.nat(),
    tasks: fc.integer({ min: 1, max: 3 }),
    trajectories: fc.integer({ min: 1, max: 4 }),
    steps: fc.integer({ min: 0, max: 5 }),
  });
  await fc.assert(fc.asyncProperty(shape, check), { numRuns: runs });
}

/** Answers that depend on the text alone, so that order and repetition cannot matter. */
const standIns: Givens = {
  verify: ({ id }) => number(id),
  // Answers whatever was asked for: the last line of a prompt names its keys.
  judge: (prompt) => {
    const keys = [...(prompt.split("\n").at(-1) ?? "").matchAll(/"([\w-]+)":/g)].map((match) => match[1] ?? "");
    const answers = keys.map((key) => [key, Math.round(10 * number(`${key} ${prompt}`))] as const);
    const faults = { faults: number(prompt) < 0.5 ? [0] : [] };
    return Promise.resolve(JSON.stringify(keys.includes("faults") ? faults : Object.fromEntries(answers)));
  },
  potential: ({ observation }) => number(observation),
  scoreSteps: (_, steps) => steps.map(({ action }) => number(action)),
  scoreTokens: (_, { action, span }) =>
    Array.from({ length: span === undefined ? 0 : span.end - span.start }, (_unused, at) => -number(`${action}${at}`)),
};

function number(text: string): number {
  return createRng(text).float();
}

const fits: Promised = async (trial) => {
  const batch = randomTrajectories(trial.shape);
  const given = await run(trial, batch);
  if (given.rewards.length !== batch.length)
    throw broken(`${given.rewards.length} lists for ${batch.length} trajectories`);
  const faults = validateForest(withRewards(batch, given.rewards));
  if (faults[0] !== undefined) throw broken(faults[0].message);
};

const isPure: Promised = async (trial) => {
  const batch = randomTrajectories(trial.shape);
  const first = await run(trial, batch);
  const second = await run(trial, randomTrajectories(trial.shape));
  expectEqual(first.rewards, second.rewards, "a second run");
  expectEqual(batch, randomTrajectories(trial.shape), "the batch after a run");
};

const permutes: Promised = async (trial) => {
  const batch = randomTrajectories(trial.shape);
  const order = shuffle([...batch.keys()], createRng(trial.shape.seed + 1));
  const straight = await run(trial, batch);
  const shuffled = await run(
    trial,
    order.map((at) => batch[at] as Trajectory),
  );
  expectEqual(
    order.map((at) => straight.rewards[at]),
    shuffled.rewards,
    "the shuffled batch",
  );
};

const staysFinite: Promised = async (trial) => {
  const batch = randomTrajectories(trial.shape);
  const bare = batch.map((own): Trajectory => {
    const { parent: _, ...root } = own;
    return { ...root, steps: [], rewards: [] };
  });
  const huge = batch.map((own): Trajectory => {
    const reward = { kind: "scored", value: Number.MAX_VALUE } as const;
    return { ...own, reward, steps: own.steps.map((step) => ({ ...step, reward })) };
  });
  for (const given of [batch, bare, huge, batch.slice(0, 1), []]) {
    for (const reward of (await run(trial, given)).rewards.flat()) expectSound(reward);
  }
};

const failuresAreUnscored: Promised = async (trial) => {
  if (trial.reward.needs.length === 0) return;
  const batch = randomTrajectories(trial.shape);
  const fails = (): never => {
    throw new Error("out of order");
  };
  const silent = (): number => Number.NaN;
  for (const answer of [fails, silent]) {
    const needs = Object.fromEntries(trial.reward.needs.map((need) => [need, answer])) as Givens;
    const { rewards } = await run({ ...trial, givens: { ...trial.givens, ...needs } }, batch);
    for (const reward of rewards.flat()) {
      expectSound(reward);
      if (reward.score.kind === "scored")
        throw broken(`"${reward.name}" is ${reward.score.value} although nobody answered`);
    }
  }
};

async function refuses(reward: RewardMethod): Promise<void> {
  const codeOf = async (more: Parameters<typeof askRewards>[2]): Promise<string | undefined> => {
    try {
      await askRewards(reward, [], more);
      return undefined;
    } catch (error) {
      return errorCode(error);
    }
  };
  if ((await codeOf({ givens: standIns, options: { "no such option": 1 } })) !== "unknown-name") {
    throw broken("an unknown option was not refused");
  }
  for (const need of reward.needs satisfies readonly Need[]) {
    const { [need]: _, ...others } = standIns;
    if ((await codeOf({ givens: others })) !== "needs-unmet") throw broken(`it ran without ${need}`);
  }
}

function run({ reward, givens, options }: Trial, batch: readonly Trajectory[]): Promise<Given> {
  return askRewards(reward, batch, { givens, options });
}

function expectSound({ name, score }: Reward): void {
  if (score.kind === "scored" && !Number.isFinite(score.value)) throw broken(`"${name}" is ${score.value}`);
  if (score.kind === "unscored" && score.why.trim() === "") throw broken(`"${name}" is unscored without a reason`);
}

function expectEqual(left: unknown, right: unknown, what: string): void {
  // Sums in another order may differ in the last bits.
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, own: unknown) => (typeof own === "number" ? Number(own.toPrecision(9)) : own));
  if (text(left) !== text(right)) throw broken(`${what} differs: ${text(left)} and ${text(right)}`);
}

function broken(what: string): EngineError {
  return new EngineError("reward-contract", `The reward breaks the reward contract: ${what}.`);
}
