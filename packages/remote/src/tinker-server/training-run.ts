/**
 * One model that learns. Its requests are done one after the other, in the order in which they came. Versions that were
 * saved to be sampled from share the live weights until a step is about to change them; only then are they copied.
 */
import { EngineError } from "limbeck-base/base/errors";
import { type Adapter, createAdapter } from "limbeck-policy/policy/local/lora";
import { copyWeights, type Weights } from "limbeck-policy/policy/local/weights";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { type LocalOptions, type LocalPolicy, createLocalPolicy } from "limbeck-policy/policy/local/local-policy";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { saveAdapter } from "limbeck-policy/policy/local/adapter-files";
import { createQueue } from "limbeck-policy/policy/queue";
import type { StepOptions } from "limbeck-policy/policy/policy";
import type { Objective, Statistics, TrainRow } from "limbeck-policy/policy/objective";
import { createKept, type KeptConversations, type Speaking } from "./kept-conversations.ts";
import type { PassRequest, DatumRequest, ServedLoss } from "./requests.ts";

/** SkyRL's, and so what clients expect. */
const ALPHA = 32;
/** Unnamed versions that can still be sampled from; older ones are forgotten. */
const KEPT_SNAPSHOTS = 8;

export interface RunRequest {
  readonly id: string;
  readonly base: LocalModel;
  readonly folder: string;
  /** 0: the full weights. */
  readonly rank: number;
  readonly seed: number;
  readonly local: LocalOptions;
  readonly keepTokens: number;
}

/** A version of the weights to sample from. */
export interface Snapshot {
  /** Undefined while the live weights are still those. */
  copy: Float32Array | undefined;
  forgotten: boolean;
}

export async function openRun(request: RunRequest): Promise<TrainingRun> {
  const { id: name, base, rank, seed, local, folder } = request;
  if (rank === 0) return new TrainingRun(request, await openModel(folder, { ...local, name }), undefined);
  const adapter = createAdapter(base.config, { rank, alpha: ALPHA, seed });
  return new TrainingRun(request, createLocalPolicy(base.config, base.weights, { ...local, name, adapter }), adapter);
}

export class TrainingRun {
  readonly id: string;
  readonly rank: number;
  readonly seed: number;
  readonly alpha: number;
  readonly live: LocalPolicy | LocalModel;
  /** What learns: the adapter's numbers, or all. */
  readonly learns: Weights;
  /** After everything that was handed in before. */
  readonly inTurn = createQueue();
  readonly #base: LocalModel;
  readonly #adapter: Adapter | undefined;
  readonly #gate = createGate();
  readonly #kept: KeptConversations;
  readonly #frozen: Frozen;
  readonly #snapshots: Snapshot[] = [];

  constructor(request: RunRequest, live: LocalPolicy | LocalModel, adapter: Adapter | undefined) {
    this.id = request.id;
    this.rank = request.rank;
    this.seed = request.seed;
    this.alpha = adapter === undefined ? 0 : ALPHA;
    this.live = live;
    this.learns = adapter?.weights ?? live.weights;
    this.#base = request.base;
    this.#adapter = adapter;
    this.#kept = createKept(request.keepTokens);
    this.#frozen = createFrozen(request, adapter);
  }

  async forward(pass: PassRequest): Promise<object> {
    const { rows, statistic, output } = lossPass(pass);
    const scored = await this.live.score(rows, { statistics: [statistic] });
    return output(scored.map((row) => row[statistic] ?? new Float32Array()));
  }

  async forwardBackward(pass: PassRequest): Promise<object> {
    const { rows, objective, output } = lossPass(pass);
    await this.live.backward(rows, objective);
    return output();
  }

  async step(options: StepOptions): Promise<object> {
    const { gradientNorm } = await this.#change(() => this.live.step(options));
    return { metrics: { "limbeck/grad_norm": gradientNorm, "limbeck/learning_rate": options.learningRate } };
  }

  snapshot(): Snapshot {
    const snapshot: Snapshot = { copy: undefined, forgotten: false };
    this.#snapshots.push(snapshot);
    const old = this.#snapshots.length > KEPT_SNAPSHOTS ? this.#snapshots.shift() : undefined;
    if (old !== undefined) Object.assign(old, { copy: undefined, forgotten: true });
    return snapshot;
  }

  async sample<T>(snapshot: Snapshot, speak: Speaking<T>): Promise<T> {
    if (snapshot.forgotten) {
      throw new EngineError(
        "sampler-forgotten",
        `This version of ${this.id} is gone: only the last ${KEPT_SNAPSHOTS} unnamed ones are kept. Save it again, or by name.`,
      );
    }
    const answer = await this.#gate.read(async () =>
      snapshot.copy === undefined ? { sampled: await speak(this.live, this.#kept) } : undefined,
    );
    return answer === undefined ? await this.#frozen.use(snapshot, speak) : answer.sampled;
  }

  /** Files to sample from elsewhere: an adapter in the layout of PEFT, or a model folder. */
  async saveForSampler(folder: string): Promise<void> {
    if (this.#adapter !== undefined) await saveAdapter(folder, this.#adapter, { base: this.#base.ref.name });
    else await (this.live as LocalModel).save(folder, { optimiser: false });
  }

  /** Replaces what learns; `apply` writes into it. */
  async replace(version: number, apply: () => Promise<void>): Promise<void> {
    await this.#change(async () => {
      await apply();
      this.live.discard();
      this.live.replaced(version);
    });
  }

  async close(): Promise<void> {
    await this.#gate.write(() => this.live.close());
    await this.#frozen.close();
  }

  /** Alone with the weights, of which older versions keep a copy. */
  #change<T>(work: () => Promise<T>): Promise<T> {
    return this.#gate.write(async () => {
      for (const snapshot of this.#snapshots) snapshot.copy ??= this.learns.flat.slice();
      this.#kept.clear();
      return await work();
    });
  }
}

interface Frozen {
  use<T>(snapshot: Snapshot, speak: Speaking<T>): Promise<T>;
  close(): Promise<void>;
}

/** One more policy whose weights are exchanged as versions are asked for: its graphs are compiled once. */
function createFrozen({ base, local, keepTokens }: RunRequest, adapter: Adapter | undefined): Frozen {
  const gate = createGate();
  let held: { readonly policy: LocalPolicy; readonly learns: Weights; readonly kept: KeptConversations } | undefined;
  let holds: Snapshot | undefined;
  let count = 0;
  const open = (): NonNullable<typeof held> => {
    const own = adapter === undefined ? undefined : { lora: adapter.lora, weights: copyWeights(adapter.weights) };
    const weights = own === undefined ? copyWeights(base.weights) : base.weights;
    const policy = createLocalPolicy(base.config, weights, {
      ...local,
      ...(own === undefined ? {} : { adapter: own }),
    });
    return { policy, learns: own?.weights ?? weights, kept: createKept(keepTokens) };
  };
  return {
    use: async (snapshot, speak) => {
      for (;;) {
        const answer = await gate.read(async () =>
          holds === snapshot && held !== undefined ? { sampled: await speak(held.policy, held.kept) } : undefined,
        );
        if (answer !== undefined) return answer.sampled;
        await gate.write(() => {
          held ??= open();
          if (snapshot.copy === undefined)
            throw new EngineError("sampler-forgotten", "This version is gone; save again.");
          held.learns.flat.set(snapshot.copy);
          held.kept.clear();
          count += 1;
          held.policy.replaced(count);
          holds = snapshot;
          return Promise.resolve();
        });
      }
    },
    close: () => gate.write(async () => held?.policy.close()),
  };
}

// A lock with many readers or one writer of the weights. First come, first served.

interface Gate {
  read<T>(work: () => Promise<T>): Promise<T>;
  write<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(): Gate {
  const waiting: { readonly writes: boolean; readonly go: () => void }[] = [];
  let readers = 0;
  let writing = false;
  const next = (): void => {
    for (;;) {
      const [head] = waiting;
      if (head === undefined || writing || (head.writes && readers > 0)) return;
      waiting.shift();
      if (head.writes) writing = true;
      else readers += 1;
      head.go();
    }
  };
  const enter = (writes: boolean): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ writes, go: resolve });
      next();
    });
  const run = async <T>(writes: boolean, work: () => Promise<T>): Promise<T> => {
    await enter(writes);
    try {
      return await work();
    } finally {
      if (writes) writing = false;
      else readers -= 1;
      next();
    }
  };
  return { read: (work) => run(false, work), write: (work) => run(true, work) };
}

// The protocol's losses, as slopes by the log-probability of each target, which is all that a learner needs.  r =
// exp(lp - q) cross_entropy         -w lp importance_sampling   -w r A ppo                   -w min(r A, clip(r,
// lo, hi) A) cispo                 -w stop(clip(r, lo, hi)) lp A dro                   -w (lp A - beta/2 (lp -
// q)^2), arXiv 2405.19107  Token losses are summed, over the sequence and over the batch, as the hosted service
// does it. The thresholds are bounds of the ratio itself. Default: 0.8 and 1.2. Default of beta: 0.05.

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

interface LossPass {
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
