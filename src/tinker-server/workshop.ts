/** Everything the server holds: the base model, sessions, models that learn, samplers, checkpoints and work under way. */
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { openModel, readAdapter, type LocalModel, type LocalOptions } from "../policy/local/index.ts";
import { createLocalPolicy } from "../policy/local/local-policy.ts";
import { createCheckpoints, type Checkpoints } from "./checkpoints.ts";
import { createFutures, type Futures } from "./futures.ts";
import { HttpFailure } from "./http-failure.ts";
import { createKept } from "./kept-conversations.ts";
import { createSavedPolicies } from "./saved-policies.ts";
import type { Decode } from "./stop-strings.ts";
import { openRun, type Snapshot, type Speaking, type TrainingRun } from "./training-run.ts";

export interface WorkshopOptions {
  /** Folder of the base model. */
  readonly model: string;
  /** What clients call it. Default: the model's own name. */
  readonly name?: string;
  /** Folder of checkpoints. */
  readonly checkpoints: string;
  /** Models that learn at the same time. Default: 8. */
  readonly maxModels?: number;
  /** Work that may wait; more is answered with a 429. Default: 4,096. */
  readonly maxQueue?: number;
  /** Default: 64. */
  readonly maxRank?: number;
  /** Whether rank 0 trains the full weights. Default: yes. */
  readonly fullWeights?: boolean;
  /** A session this long without a sign of life is closed, with its models. Default: 300 s. */
  readonly sessionTimeoutMs?: number;
  /** Tokens of conversations that are kept to go on. Default: 65,536. */
  readonly keepTokens?: number;
  readonly local?: LocalOptions;
  readonly now?: () => number;
}

export interface HeldRun extends TrainingRun {
  readonly session: string;
  readonly createdAt: string;
  readonly metadata: unknown;
  /** What `seq_id` stands for, so that a repeated request is not done twice. */
  readonly seen: Map<number, { readonly payload: string; readonly requestId: string }>;
  /** Requests so far; weights are loaded before all others only. */
  requests: number;
}

/** What a sampling session samples from. */
export type Source =
  | { readonly kind: "base" }
  | { readonly kind: "version"; readonly run: HeldRun; readonly snapshot: Snapshot }
  | { readonly kind: "saved"; readonly path: string };

export interface Workshop {
  readonly baseName: string;
  readonly base: LocalModel;
  /** Tokens to text; undefined where the base model has no tokenizer. */
  readonly decode: Decode | undefined;
  readonly futures: Futures;
  readonly checkpoints: Checkpoints;
  readonly samplers: Map<string, Source>;
  readonly limits: { readonly maxRank: number; readonly fullWeights: boolean };
  readonly runs: ReadonlyMap<string, HeldRun>;
  openSession(): string;
  /** A sign of life; 404 where there is no such session. */
  touch(session: string, beat: boolean): void;
  run(id: string): HeldRun;
  createRun(request: { session: string; rank: number; seed: number; metadata: unknown; id: string }): Promise<HeldRun>;
  unload(id: string): Promise<void>;
  /** After a checkpoint to sample from was deleted. */
  forgetSaved(path: string): Promise<void>;
  sampleFrom<T>(source: Source, work: Speaking<T>): Promise<T>;
  close(): Promise<void>;
}

export function freshId(kind: string): string {
  return `${kind}_${randomBytes(4).toString("hex")}`;
}

const CLEAN_UP_MS = 30_000;

export async function openWorkshop(options: WorkshopOptions): Promise<Workshop> {
  const { now = Date.now, maxModels = 8, maxRank = 64, fullWeights = true, keepTokens = 65_536 } = options;
  const { sessionTimeoutMs = 300_000, local = {} } = options;
  const folder = resolve(options.model);
  const base = await openModel(folder, local);
  const baseName = options.name ?? base.ref.name;
  const checkpoints = createCheckpoints(resolve(options.checkpoints));
  const baseKept = createKept(keepTokens);
  /** When a session last gave a sign of life; null: it never did, and never expires. */
  const sessions = new Map<string, number | null>();
  const runs = new Map<string, HeldRun>();
  const samplers = new Map<string, Source>();
  let opening = 0;

  const unload = async (id: string): Promise<void> => {
    const run = runs.get(id);
    runs.delete(id);
    for (const [name, source] of samplers) if (source.kind === "version" && source.run === run) samplers.delete(name);
    await run?.close();
  };
  const cleanUp = async (): Promise<void> => {
    for (const [session, beat] of sessions) {
      if (beat === null || now() - beat < sessionTimeoutMs) continue;
      sessions.delete(session);
      for (const run of [...runs.values()].filter((own) => own.session === session)) await unload(run.id);
    }
  };
  // What could not be unloaded is tried again at the next round.
  const timer = setInterval(() => void cleanUp().catch(() => undefined), Math.min(CLEAN_UP_MS, sessionTimeoutMs));
  timer.unref();

  const saved = createSavedPolicies(async (path) => {
    const files = await checkpoints.folder(path, "sampler_weights");
    const { rank } = await checkpoints.info(path, "sampler_weights");
    return rank === 0
      ? await openModel(files, local)
      : createLocalPolicy(base.config, base.weights, { ...local, adapter: await readAdapter(files) });
  }, keepTokens);

  const { tokenizer } = base;
  return {
    base,
    decode: tokenizer === undefined ? undefined : (ids) => tokenizer.decode(ids),
    baseName,
    checkpoints,
    samplers,
    runs,
    futures: createFutures(now(), options.maxQueue),
    limits: { maxRank, fullWeights },
    openSession: () => {
      const id = freshId("session");
      sessions.set(id, null);
      return id;
    },
    touch: (session, beat) => {
      if (!sessions.has(session)) throw new HttpFailure(404, `Session ${session.slice(0, 60)} not found.`);
      if (beat) sessions.set(session, now());
    },
    run: (id) => {
      const run = runs.get(id);
      if (run === undefined) throw new HttpFailure(404, `Model ${id.slice(0, 60)} not found: it is not loaded.`);
      return run;
    },
    createRun: async ({ session, rank, seed, metadata, id }) => {
      const least = fullWeights ? 0 : 1;
      if (rank < least || rank > maxRank) {
        throw new HttpFailure(400, `LoRA rank ${rank} is not served; it must be between ${least} and ${maxRank}.`);
      }
      if (runs.size + opening >= maxModels) {
        throw new HttpFailure(
          400,
          `There is no room: ${maxModels} models are loaded. Unload one, or raise --max-models.`,
        );
      }
      opening += 1;
      try {
        const run = await openRun({ id, base, folder, rank, seed, local, keepTokens });
        const held: HeldRun = Object.assign(run, {
          session,
          createdAt: new Date(now()).toISOString(),
          metadata,
          seen: new Map<number, { readonly payload: string; readonly requestId: string }>(),
          requests: 0,
        });
        runs.set(id, held);
        return held;
      } finally {
        opening -= 1;
      }
    },
    unload,
    forgetSaved: (path) => saved.forget(path),
    sampleFrom: async (source, work) => {
      if (source.kind === "version") return await source.run.sample(source.snapshot, work);
      if (source.kind === "base") return await work(base, baseKept);
      return await saved.use(source.path, work);
    },
    close: async () => {
      clearInterval(timer);
      for (const id of runs.keys()) await unload(id);
      await saved.close();
      await base.close();
    },
  };
}
