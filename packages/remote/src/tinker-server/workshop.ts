/** Everything the server holds: the base model, sessions, models that learn, samplers, checkpoints and work under way. */
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { type LocalOptions, createLocalPolicy } from "limbeck-policy/policy/local/local-policy";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { readAdapter } from "limbeck-policy/policy/local/adapter-files";
import { Checkpoints } from "./checkpoints.ts";
import { createFutures, type Futures } from "./futures.ts";
import { HttpFailure } from "./http-failure.ts";
import {
  createKept,
  createSavedPolicies,
  type KeptConversations,
  type SavedPolicies,
  type Speaking,
} from "./kept-conversations.ts";
import type { Decode } from "./stop-strings.ts";
import { openRun, type Snapshot, type TrainingRun } from "./training-run.ts";

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

export function freshId(kind: string): string {
  return `${kind}_${randomBytes(4).toString("hex")}`;
}

const CLEAN_UP_MS = 30_000;

export async function openWorkshop(options: WorkshopOptions): Promise<Workshop> {
  return new Workshop(await openModel(resolve(options.model), options.local ?? {}), options);
}

/** The server's state; requests for what it does not hold are refused. */
export class Workshop {
  readonly base: LocalModel;
  readonly baseName: string;
  readonly futures: Futures;
  readonly checkpoints: Checkpoints;
  readonly samplers = new Map<string, Source>();
  readonly runs = new Map<string, HeldRun>();
  readonly limits: { readonly maxRank: number; readonly fullWeights: boolean };
  readonly #options: WorkshopOptions;
  readonly #now: () => number;
  readonly #keepTokens: number;
  readonly #baseKept: KeptConversations;
  readonly #saved: SavedPolicies;
  /** When a session last gave a sign of life; null: it never did, and never expires. */
  readonly #sessions = new Map<string, number | null>();
  readonly #timer: NodeJS.Timeout;
  #opening = 0;

  constructor(base: LocalModel, options: WorkshopOptions) {
    const { now = Date.now, maxRank = 64, fullWeights = true, keepTokens = 65_536 } = options;
    const { sessionTimeoutMs = 300_000, local = {} } = options;
    this.base = base;
    this.baseName = options.name ?? base.ref.name;
    this.futures = createFutures(now(), options.maxQueue);
    this.checkpoints = new Checkpoints(resolve(options.checkpoints));
    this.limits = { maxRank, fullWeights };
    this.#options = options;
    this.#now = now;
    this.#keepTokens = keepTokens;
    this.#baseKept = createKept(keepTokens);
    this.#saved = createSavedPolicies(async (path) => {
      const files = await this.checkpoints.folder(path, "sampler_weights");
      const { rank } = await this.checkpoints.info(path, "sampler_weights");
      return rank === 0
        ? await openModel(files, local)
        : createLocalPolicy(base.config, base.weights, { ...local, adapter: await readAdapter(files) });
    }, keepTokens);
    // What could not be unloaded is tried again at the next round.
    const cleanUp = (): void => void this.#cleanUp(sessionTimeoutMs).catch(() => undefined);
    this.#timer = setInterval(cleanUp, Math.min(CLEAN_UP_MS, sessionTimeoutMs)).unref();
  }

  /** Tokens to text; undefined where the base model has no tokenizer. */
  get decode(): Decode | undefined {
    const { tokenizer } = this.base;
    return tokenizer === undefined ? undefined : (ids) => tokenizer.decode(ids);
  }

  openSession(): string {
    const id = freshId("session");
    this.#sessions.set(id, null);
    return id;
  }

  /** A sign of life; 404 where there is no such session. */
  touch(session: string, beat: boolean): void {
    if (!this.#sessions.has(session)) throw new HttpFailure(404, `Session ${session.slice(0, 60)} not found.`);
    if (beat) this.#sessions.set(session, this.#now());
  }

  requireBase(name: unknown): void {
    if (typeof name !== "string" || name === this.baseName) return;
    throw new HttpFailure(400, `Base model "${name.slice(0, 120)}" is not served here; it is "${this.baseName}".`);
  }

  run(id: string): HeldRun {
    const run = this.runs.get(id);
    if (run === undefined) throw new HttpFailure(404, `Model ${id.slice(0, 60)} not found: it is not loaded.`);
    return run;
  }

  async createRun({ session, rank, seed, metadata, id }: NewRun): Promise<HeldRun> {
    const { maxModels = 8, model, local = {} } = this.#options;
    const { maxRank, fullWeights } = this.limits;
    const least = fullWeights ? 0 : 1;
    if (rank < least || rank > maxRank) {
      throw new HttpFailure(400, `LoRA rank ${rank} is not served; it must be between ${least} and ${maxRank}.`);
    }
    if (this.runs.size + this.#opening >= maxModels) {
      throw new HttpFailure(
        400,
        `There is no room: ${maxModels} models are loaded. Unload one, or raise --max-models.`,
      );
    }
    this.#opening += 1;
    try {
      const { base } = this;
      const own = { id, base, folder: resolve(model), rank, seed, local, keepTokens: this.#keepTokens };
      const held: HeldRun = Object.assign(await openRun(own), {
        session,
        createdAt: new Date(this.#now()).toISOString(),
        metadata,
        seen: new Map(),
        requests: 0,
      });
      this.runs.set(id, held);
      return held;
    } finally {
      this.#opening -= 1;
    }
  }

  async unload(id: string): Promise<void> {
    const run = this.runs.get(id);
    this.runs.delete(id);
    for (const [name, source] of this.samplers)
      if (source.kind === "version" && source.run === run) this.samplers.delete(name);
    await run?.close();
  }

  async #cleanUp(timeoutMs: number): Promise<void> {
    for (const [session, beat] of this.#sessions) {
      if (beat === null || this.#now() - beat < timeoutMs) continue;
      this.#sessions.delete(session);
      for (const run of [...this.runs.values()].filter((own) => own.session === session)) await this.unload(run.id);
    }
  }

  /** After a checkpoint to sample from was deleted. */
  async forgetSaved(path: string): Promise<void> {
    await this.#saved.forget(path);
  }

  async sampleFrom<T>(source: Source, work: Speaking<T>): Promise<T> {
    if (source.kind === "version") return await source.run.sample(source.snapshot, work);
    if (source.kind === "base") return await work(this.base, this.#baseKept);
    return await this.#saved.use(source.path, work);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const id of this.runs.keys()) await this.unload(id);
    await this.#saved.close();
    await this.base.close();
  }
}

type NewRun = Pick<HeldRun, "session" | "rank" | "seed" | "metadata" | "id">;
