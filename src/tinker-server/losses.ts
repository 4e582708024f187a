/**
 * The protocol's losses, as slopes by the log-probability of each target, which is all that a learner needs.
 *
 *   r = exp(lp - q)
 *   cross_entropy         -w lp
 *   importance_sampling   -w r A
 *   ppo                   -w min(r A, clip(r, lo, hi) A)
 *   cispo                 -w stop(clip(r, lo, hi)) lp A
 *   dro                   -w (lp A - beta/2 (lp - q)^2), arXiv 2405.19107
 *
 * Token losses are summed, over the sequence and over the batch, as the hosted service does it. The thresholds are bounds
 * of the ratio itself. Default: 0.8 and 1.2. Default of beta: 0.05.
 */
import { EngineError } from "../base/index.ts";
import type { Objective, Statistics, TrainRow } from "../policy/index.ts";
import type { DatumRequest, PassRequest, ServedLoss } from "./requests.ts";

interface Token {
  readonly logprob: number;
  readonly weight: number;
  readonly behaviour: number;
  readonly advantage: number;
}

interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly beta: number;
}

type TokenLoss = (token: Token, bounds: Bounds) => readonly [loss: number, slope: number];

const losses: Readonly<Record<ServedLoss, TokenLoss>> = {
  cross_entropy: ({ logprob, weight }) => [-weight * logprob, -weight],
  importance_sampling: ({ logprob, weight, behaviour, advantage }) => {
    const loss = -weight * Math.exp(logprob - behaviour) * advantage;
    return [loss, loss];
  },
  ppo: ({ logprob, weight, behaviour, advantage }, { low, high }) => {
    const ratio = Math.exp(logprob - behaviour);
    const [free, clipped] = [ratio * advantage, clip(ratio, low, high) * advantage];
    return free <= clipped ? [-weight * free, -weight * free] : [-weight * clipped, 0];
  },
  cispo: ({ logprob, weight, behaviour, advantage }, { low, high }) => {
    const slope = -weight * clip(Math.exp(logprob - behaviour), low, high) * advantage;
    return [slope * logprob, slope];
  },
  dro: ({ logprob, weight, behaviour, advantage }, { beta }) => {
    const apart = logprob - behaviour;
    return [-weight * (logprob * advantage - (beta / 2) * apart ** 2), -weight * (advantage - beta * apart)];
  },
};

function clip(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

export interface LossPass {
  readonly rows: readonly TrainRow[];
  readonly objective: Objective;
  /** The statistic that holds the targets' log-probabilities. */
  readonly statistic: "logprob" | "candidates";
  /** The answer, once the objective has been computed, or from statistics of a forward pass. */
  readonly output: (statistics?: readonly ArrayLike<number>[]) => object;
}

/** Targets may be any tokens; where they are the input's own next ones, as is usual, the cheaper statistic does. */
export function lossPass({ data, loss_fn, loss_fn_config }: PassRequest): LossPass {
  const plain = data.every((datum) => followsInput(datum));
  const statistic = plain ? "logprob" : "candidates";
  const rows = data.map((datum) => rowOf(datum, plain));
  const bounds = {
    low: loss_fn_config?.["clip_low_threshold"] ?? 0.8,
    high: loss_fn_config?.["clip_high_threshold"] ?? 1.2,
    beta: loss_fn_config?.["beta"] ?? 0.05,
  };
  const token = losses[loss_fn];
  let seen: readonly ArrayLike<number>[] | undefined;
  const compute = (live: Statistics): ReturnType<Objective["compute"]> => {
    const values = live[statistic] ?? [];
    seen = values;
    let total = 0;
    const slopes = values.map((logprobs, row) => {
      const own = new Float64Array(logprobs.length);
      eachToken(data[row] as DatumRequest, logprobs, (at, given) => {
        const [loss, slope] = token(given, bounds);
        total += loss;
        own[at + 1] = slope;
      });
      return own;
    });
    return { loss: total, weights: { [statistic]: slopes } };
  };
  return {
    rows,
    statistic,
    objective: { needs: [statistic], constantWeights: loss_fn === "cross_entropy", compute },
    output: (statistics = seen ?? []) => {
      let [total, tokens] = [0, 0];
      const outputs = data.map((datum, row) => {
        const logprobs = statistics[row] ?? [];
        const elementwise: number[] = [];
        const plainLogprobs: number[] = [];
        eachToken(datum, logprobs, (_, given) => {
          const [loss] = token(given, bounds);
          // -0 where nothing weighs would come out as "-0".
          elementwise.push(given.weight === 0 ? 0 : loss);
          plainLogprobs.push(given.logprob);
          total += loss;
          tokens += 1;
        });
        return { elementwise_loss: tensorOf(elementwise), logprobs: tensorOf(plainLogprobs) };
      });
      return {
        loss_fn_output_type: "scalar",
        loss_fn_outputs: outputs,
        metrics: { "loss:sum": total, "num_tokens:sum": tokens },
      };
    },
  };
}

function eachToken(datum: DatumRequest, logprobs: ArrayLike<number>, use: (at: number, token: Token) => void): void {
  const { target_tokens, weights, logprobs: behaviour, advantages } = datum.loss_fn_inputs;
  for (let at = 0; at < target_tokens.data.length; at += 1) {
    use(at, {
      logprob: logprobs[at + 1] ?? 0,
      weight: weights?.data[at] ?? (weights === undefined ? 1 : 0),
      behaviour: behaviour?.data[at] ?? 0,
      advantage: advantages?.data[at] ?? 0,
    });
  }
}

function inputOf({ model_input }: DatumRequest): number[] {
  return model_input.chunks.flatMap(({ tokens }) => tokens);
}

function followsInput(datum: DatumRequest): boolean {
  const { data } = datum.loss_fn_inputs.target_tokens;
  return inputOf(datum).every((token, at) => at === 0 || token === data[at - 1]);
}

/** The input and the last target; statistics of token t + 1 are those of target t. */
function rowOf(datum: DatumRequest, plain: boolean): TrainRow {
  const { data } = datum.loss_fn_inputs.target_tokens;
  const odd = data.find((target) => !Number.isInteger(target));
  if (odd !== undefined) throw new EngineError("bad-token", `Target ${odd} is not a whole number.`);
  const ids = Int32Array.from([...inputOf(datum), data.at(-1) as number]);
  const mask = new Uint8Array(ids.length).fill(1, 1);
  return plain ? { ids, mask } : { ids, mask, candidates: { count: 1, ids: Int32Array.from([0, ...data]) } };
}

function tensorOf(data: readonly number[]): object {
  return { data, dtype: "float32", shape: [data.length] };
}
