/**
 * A reward model that is itself a language model (GenARM, arXiv 2410.08193): what it gives a response is the sum of its
 * log-probabilities, learnt from pairs, so that every token has its share and a sampler can be led by it.
 *
 *   loss = log(1 + exp(-scale * (log pi_r(better) - log pi_r(worse)))),   log pi_r(y) = sum over tokens of log pi_r(y_t | x, y_<t)
 */
import { checkOptions, may } from "limbeck-base/base/options";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createRng, shuffle } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { groupedBy } from "limbeck-base/base/grouped-by";
import { mean, sum } from "limbeck-base/base/statistics/summary";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Learner, Scorer } from "limbeck-policy/policy/policy";
import type { Objective, TrainRow } from "limbeck-policy/policy/objective";
import { saveAdapter } from "limbeck-policy/policy/local/adapter-files";
import { bundledFolder } from "limbeck-policy/policy/local/bundled-model";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { createAdapter } from "limbeck-policy/policy/local/lora";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { sigmoid, softplus } from "./losses.ts";
import { rateAt } from "./train-scorer.ts";

/** Two responses of one task; the first is the better one. */
export type TokenPair = readonly [TrainRow, TrainRow];

export interface PairLoss {
  /** What the difference is multiplied by. Default: 1. */
  readonly scale?: number;
  /** Means in the place of sums: a long failure is otherwise lost by its length alone. Default: false. */
  readonly perToken?: boolean;
}

/** Rows in twos, the better one first. */
export function tokenRewardObjective({ scale = 1, perToken = false }: PairLoss = {}): Objective {
  return {
    needs: ["logprob"],
    compute: ({ logprob = [] }, _frozen, rows) => {
      const weights = rows.map(({ ids }) => new Float64Array(ids.length));
      const parts = rows.map(({ mask }) => scale / (perToken ? Math.max(1, sum(mask)) : 1));
      const rewards = rows.map((row, at) => (parts[at] as number) * saidBy(row, logprob[at] as Float64Array));
      const pairs = rows.length / 2;
      let loss = 0;
      for (let at = 0; at < rows.length; at += 2) {
        const difference = (rewards[at] as number) - (rewards[at + 1] as number);
        loss += softplus(-difference) / pairs;
        const slope = sigmoid(-difference) / pairs;
        for (const [row, sign] of [
          [at, -1],
          [at + 1, 1],
        ] as const) {
          const own = weights[row] as Float64Array;
          for (const [token, isSaid] of (rows[row] as TrainRow).mask.entries())
            if (isSaid === 1) own[token] = sign * slope * (parts[row] as number);
        }
      }
      return { loss, weights: { logprob: weights } };
    },
  };
}

function saidBy({ mask }: TrainRow, logprobs: ArrayLike<number>): number {
  let total = 0;
  for (const [token, isSaid] of mask.entries()) total += isSaid * (logprobs[token] as number);
  return total;
}

export interface LearnPairsOptions extends PairLoss {
  readonly epochs: number;
  /** Pairs of an update. Default: 16. */
  readonly batch?: number;
  /** Highest learning rate; it falls to 0 by the end. Default: 0.003. */
  readonly learningRate?: number;
  readonly seed?: number | string;
  readonly signal?: AbortSignal | undefined;
  readonly onEpoch?: (epoch: number, loss: number) => void;
}

/** Teaches any learner the pairs. */
export async function learnPairs(
  learner: Pick<Learner, "backward" | "step">,
  pairs: readonly TokenPair[],
  { epochs, batch = 16, learningRate = 0.003, seed = 0, signal, onEpoch, ...form }: LearnPairsOptions,
): Promise<void> {
  const objective = tokenRewardObjective(form);
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const order = shuffle(pairs, createRng(`pairs ${seed} ${epoch}`));
    const losses: number[] = [];
    for (let from = 0; from < order.length; from += batch) {
      const rows = order.slice(from, from + batch).flat();
      const report = await learner.backward(rows, objective, withoutUndefined({ signal }));
      await learner.step({
        learningRate: learningRate * rateAt((epoch + from / order.length) / epochs),
        clipNorm: 1,
      });
      losses.push(report.loss);
    }
    onEpoch?.(epoch + 1, mean(losses));
  }
}

/** Share of pairs whose better one it gives more; equals count half. */
export async function pairAccuracy(
  scorer: Pick<Scorer, "score">,
  pairs: readonly TokenPair[],
  { perToken = false }: PairLoss = {},
): Promise<number> {
  const rows = pairs.flat();
  const found = await scorer.score(rows, { statistics: ["logprob"] });
  const rewards = rows.map((row, at) => {
    const total = saidBy(row, found[at]?.logprob as Float32Array);
    return perToken ? total / Math.max(1, sum(row.mask)) : total;
  });
  return mean(pairs.map((_, at) => (1 + Math.sign((rewards[2 * at] as number) - (rewards[2 * at + 1] as number))) / 2));
}

/** Each success of a task beside a failure of the same task, in turn; sampled tokens count. */
export function pairsOf(trajectories: readonly Trajectory[]): TokenPair[] {
  const groups = groupedBy(
    trajectories.filter(({ ending, streams }) => ending !== "failed" && streams.length === 1),
    ({ task }) => task.id,
  );
  return [...groups.values()].flatMap((members) => {
    const rowsOf = (success: boolean): TrainRow[] =>
      members.flatMap((one) => (one.success === success ? one.streams.map(({ ids, mask }) => ({ ids, mask })) : []));
    const [good, bad] = [rowsOf(true), rowsOf(false)];
    const count = good.length === 0 || bad.length === 0 ? 0 : Math.max(good.length, bad.length);
    return Array.from({ length: count }, (_, at): TokenPair => [
      good[at % good.length] as TrainRow,
      bad[at % bad.length] as TrainRow,
    ]);
  });
}

export interface TrainTokenRewardOptions extends Omit<LearnPairsOptions, "epochs" | "seed"> {
  /** A folder or "bundled:NAME", with the tokens of the episodes; it may be smaller than the model that played them. */
  readonly model: string;
  readonly out: string;
  readonly trajectories: readonly Trajectory[];
  /** Default: 3. */
  readonly epochs?: number;
  /** Rank of the adapter; 0 trains and writes the whole model. Default: 8. */
  readonly rank?: number;
  readonly seed?: number;
  readonly threads?: number;
}

export const TOKEN_REWARD_CHECKS = {
  epochs: may.count,
  rank: may.whole,
  seed: may.whole,
  threads: may.count,
} as const;

export interface TokenRewardCard {
  readonly form: 1;
  readonly kind: "autoregressive";
  readonly base: string;
  readonly pairs: number;
  /** Pairs of tasks that it has not learnt from. */
  readonly heldOut: number;
  /** Share of those that it orders rightly. */
  readonly accuracyBefore: number;
  readonly accuracy: number;
}

/**
 * Trains a reward of tokens on episodes; a fifth of the tasks is kept apart.
 *
 * @example
 * const options = { model: "bundled:household", out: "guide", trajectories: [] };
 * await trainTokenReward(options).catch((error: Error) => console.log(error.message.slice(0, 44))); // There are 0 pairs to learn from and 0 to jud
 */
export async function trainTokenReward(options: TrainTokenRewardOptions): Promise<TokenRewardCard> {
  checkOptions("trainTokenReward", options, TOKEN_REWARD_CHECKS);
  const { rank = 8, seed = 0, epochs = 3, perToken = false } = options;
  const tasks = shuffle([...new Set(options.trajectories.map(({ task }) => task.id))], createRng(`pairs ${seed}`));
  const apart = new Set(tasks.slice(0, Math.ceil(tasks.length / 5)));
  const [test, train] = [true, false].map((isApart) =>
    pairsOf(options.trajectories.filter(({ task }) => apart.has(task.id) === isApart)),
  ) as [TokenPair[], TokenPair[]];
  if (train.length === 0 || test.length === 0) {
    throw new EngineError(
      "bad-input",
      `There are ${train.length} pairs to learn from and ${test.length} to judge by; tasks with a success and a failure, with the tokens of a model, are needed. Roll out more: limbeck rollout --policy DIR --group 8.`,
    );
  }
  const model = await openModel(bundledFolder(options.model) ?? options.model, {
    ...(rank === 0 ? {} : { adapter: (config) => createAdapter(config, { rank, seed: `pairs ${seed}` }) }),
    ...withoutUndefined({ threads: options.threads }),
  });
  try {
    const accuracyBefore = await pairAccuracy(model, test, { perToken });
    await learnPairs(model, train, { ...options, epochs, seed });
    const accuracy = await pairAccuracy(model, test, { perToken });
    if (model.adapter === undefined) await model.save(options.out);
    else await saveAdapter(options.out, model.adapter, { base: options.model });
    const card: TokenRewardCard = {
      form: 1,
      kind: "autoregressive",
      base: options.model,
      pairs: train.length,
      heldOut: test.length,
      accuracyBefore,
      accuracy,
    };
    await writeFile(join(options.out, "token-reward.json"), `${JSON.stringify(card, null, 2)}\n`);
    return card;
  } finally {
    await model.close();
  }
}
