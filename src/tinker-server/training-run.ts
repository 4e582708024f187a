/**
 * One model that learns. Its requests are done one after the other, in the order in which they came. Versions that were
 * saved to be sampled from share the live weights until a step is about to change them; only then are they copied.
 */
import { EngineError } from "../base/index.ts";
import {
  copyWeights,
  createAdapter,
  openModel,
  saveAdapter,
  type Adapter,
  type LocalModel,
  type LocalOptions,
  type LocalPolicy,
  type Weights,
} from "../policy/local/index.ts";
import { createLocalPolicy } from "../policy/local/local-policy.ts";
import type { StepOptions } from "../policy/index.ts";
import { createGate } from "./gate.ts";
import { createKept, type KeptConversations } from "./kept-conversations.ts";
import { lossPass } from "./losses.ts";
import type { PassRequest } from "./requests.ts";

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

/** Works with a policy of certain weights, and the conversations that were held with it. */
export type Speaking<T> = (policy: LocalPolicy, kept: KeptConversations) => Promise<T>;

export interface TrainingRun {
  readonly id: string;
  readonly rank: number;
  readonly seed: number;
  readonly alpha: number;
  readonly live: LocalPolicy;
  /** What learns: the adapter's numbers, or all. */
  readonly learns: Weights;
  /** After everything that was handed in before. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  forward(pass: PassRequest): Promise<object>;
  forwardBackward(pass: PassRequest): Promise<object>;
  step(options: StepOptions): Promise<object>;
  snapshot(): Snapshot;
  sample<T>(snapshot: Snapshot, speak: Speaking<T>): Promise<T>;
  /** Files to sample from elsewhere: an adapter in the layout of PEFT, or a model folder. */
  saveForSampler(folder: string): Promise<void>;
  /** Replaces what learns; `apply` writes into it. */
  replace(version: number, apply: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function openRun(request: RunRequest): Promise<TrainingRun> {
  const { base, rank, seed, local } = request;
  const name = request.id;
  const full = rank === 0 ? await openModel(request.folder, { ...local, name }) : undefined;
  const adapter = rank === 0 ? undefined : createAdapter(base.config, { rank, alpha: ALPHA, seed });
  const live =
    full ??
    createLocalPolicy(base.config, base.weights, { ...local, name, ...(adapter === undefined ? {} : { adapter }) });
  const learns = adapter?.weights ?? live.weights;
  const gate = createGate();
  const kept = createKept(request.keepTokens);
  const frozen = createFrozen(request, adapter);
  const snapshots: Snapshot[] = [];
  let last: Promise<unknown> = Promise.resolve();

  const change = <T>(work: () => Promise<T>): Promise<T> =>
    gate.write(async () => {
      for (const snapshot of snapshots) snapshot.copy ??= learns.flat.slice();
      kept.clear();
      return await work();
    });

  return {
    id: request.id,
    rank,
    seed,
    alpha: rank === 0 ? 0 : ALPHA,
    live,
    learns,
    inTurn: (work) => {
      const next = last.then(work, work);
      // Whoever handed it in hears of its failure; the next one's turn comes all the same.
      last = next.catch(() => undefined);
      return next;
    },
    forward: async (pass) => {
      const { rows, statistic, output } = lossPass(pass);
      const scored = await live.score(rows, { statistics: [statistic] });
      return output(scored.map((row) => row[statistic] ?? new Float32Array()));
    },
    forwardBackward: async (pass) => {
      const { rows, objective, output } = lossPass(pass);
      await live.backward(rows, objective);
      return output();
    },
    step: (options) =>
      change(async () => {
        const { gradientNorm } = await live.step(options);
        return { metrics: { "limbeck/grad_norm": gradientNorm, "limbeck/learning_rate": options.learningRate } };
      }),
    snapshot: () => {
      const snapshot: Snapshot = { copy: undefined, forgotten: false };
      snapshots.push(snapshot);
      const old = snapshots.length > KEPT_SNAPSHOTS ? snapshots.shift() : undefined;
      if (old !== undefined) Object.assign(old, { copy: undefined, forgotten: true });
      return snapshot;
    },
    sample: async (snapshot, speak) => {
      if (snapshot.forgotten) {
        throw new EngineError(
          "sampler-forgotten",
          `This version of ${request.id} is gone: only the last ${KEPT_SNAPSHOTS} unnamed ones are kept. Save it again, or by name.`,
        );
      }
      const answer = await gate.read(async () =>
        snapshot.copy === undefined ? { said: await speak(live, kept) } : undefined,
      );
      if (answer !== undefined) return answer.said;
      return await frozen.use(snapshot, speak);
    },
    saveForSampler: async (folder) => {
      if (full !== undefined) await full.save(folder, { optimiser: false });
      else if (adapter !== undefined) await saveAdapter(folder, adapter, { base: base.ref.name });
    },
    replace: (version, apply) =>
      change(async () => {
        await apply();
        live.discard();
        live.replaced(version);
      }),
    close: async () => {
      await gate.write(() => live.close());
      await frozen.close();
    },
  };
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
          holds === snapshot && held !== undefined ? { said: await speak(held.policy, held.kept) } : undefined,
        );
        if (answer !== undefined) return answer.said;
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
