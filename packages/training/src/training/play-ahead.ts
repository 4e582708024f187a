/** What plays ahead of a training: nothing, a thread of its own, this process beside it, or other processes. */
import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { EngineError, type PlainError, throwIfAborted } from "limbeck-base/base/errors";
import { loadedParts } from "limbeck-base/base/parts/part";
import { startThread } from "limbeck-base/base/thread";
import type { WorldOptions } from "limbeck-core/env/world";
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { Draft } from "limbeck-policy/policy/local/draft/kinds";
import type { HeldPolicy } from "limbeck-policy/policy/tinker/tinker-policy";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { agentFor, tellingSkills } from "limbeck-core/update/agent";
import { type Assignment, assignmentOf, play } from "limbeck-core/update/collect";
import { cut } from "limbeck-core/update/context";
import type { Settings } from "limbeck-core/update/settings";
import type { Strategy } from "limbeck-core/walk/line/strategy";
import { type Away, createSupply, type Supply } from "./asynchronous.ts";
import type { TrainProgress } from "./checkpoint.ts";
import type { OpenedModel, WeightsHere, WeightsThere } from "./opened-model.ts";
import type { TrainingPlan } from "./options.ts";

interface SupplyPlace {
  readonly opened: OpenedModel;
  readonly strategy: Strategy;
  readonly progress: TrainProgress;
  readonly run: string;
}

export async function supplyOf(plan: TrainingPlan, place: SupplyPlace): Promise<Supply | undefined> {
  const { away, updates, now, signal } = plan;
  const { opened, strategy, progress } = place;
  if (away === undefined) return undefined;
  if (plan.recipe.world !== undefined) {
    throw new EngineError(
      "needs-unmet",
      `Episodes cannot be played elsewhere (--lag, --fleet): the recipe ${plan.names.recipe} plays in a world of its own, which the others do not have. Leave the flag out.`,
    );
  }
  if (strategy.save !== undefined) {
    throw new EngineError(
      "needs-unmet",
      `Episodes cannot be played elsewhere (--lag, --fleet): the strategy ${plan.names.strategy} remembers earlier updates, which are not over yet. Choose another --strategy.`,
    );
  }
  const { model } = opened;
  const onNotice = (message: string): void => plan.onEvent({ kind: "notice", update: progress.update, message });
  return createSupply({
    away: await awayFor(plan, place, onNotice),
    lag: away.lag,
    from: progress.update,
    updates,
    assign: (update, skills) => assignmentOf(plan, update, skills),
    version: () => model.ref.version ?? 0,
    skills: progress.skills ?? {},
    now,
    signal,
  });
}

async function awayFor(
  plan: TrainingPlan,
  { opened, strategy, run }: SupplyPlace,
  onNotice: (message: string) => void,
): Promise<Away> {
  const { model, settings, names, away } = plan;
  const { share, dialect } = opened;
  if (away?.open !== undefined) {
    const { rewards, seed } = plan;
    const place = { run, onNotice, model, strategy: names.strategy, settings, seed, rewards: rewards?.stored };
    return await away.open(share, place);
  }
  return openActingBeside({ ...plan, share: share as WeightsThere, strategy, dialect });
}

// Plays ahead in this process where a trainer has the weights: it samples with those of an earlier update while the next one
// is learned, so that it works while the worlds here think, and the other way round.

interface ActingBeside extends Pick<
  TrainingPlan,
  "env" | "demonstrator" | "settings" | "textWriter" | "outcomeScorer"
> {
  readonly share: WeightsThere;
  readonly strategy: Strategy;
  readonly dialect: Dialect;
}

interface Held {
  readonly policy: HeldPolicy;
  plays: number;
  isOld: boolean;
}

function openActingBeside(options: ActingBeside): Away {
  const { share, demonstrator, settings, strategy, dialect, textWriter: writer, outcomeScorer } = options;
  const env = cut(options.env, settings.maxSteps);
  let present: Held | undefined;
  /** Weights that no process plays with any more are taken from the trainer. */
  const retire = async (held: Held | undefined): Promise<void> => {
    if (held?.isOld === true && held.plays === 0) await held.policy.close();
  };
  const renew = async (next: Held | undefined): Promise<void> => {
    const before = present;
    present = next;
    if (before !== undefined) before.isOld = true;
    await retire(before);
  };
  return {
    width: 1,
    renew: async () => {
      await renew({ policy: await share.hold(), plays: 0, isOld: false });
    },
    play: async ({ tasks, seed, prefix, skills }, signal) => {
      const held = present as Held;
      held.plays += 1;
      try {
        const agent = agentFor({ model: held.policy, dialect, settings }, { tell: tellingSkills(skills) });
        const peers = settings.group;
        const request = {
          env,
          demonstrator,
          writer,
          agent,
          strategy,
          tasks,
          seed,
          prefix,
          peers,
          signal,
          outcomeScorer,
        };
        return (await play(request)).trajectories;
      } finally {
        held.plays -= 1;
        await retire(held);
      }
    },
    close: () => renew(undefined),
  };
}

/*
 * A thread that plays while this one learns: the runtime's runs block the thread they are in, so that a second copy of
 * the weights in the same thread would save nothing. It gets the weights as one array and sends episodes back.
 */

/** What the thread finds: its setup, and the files that this one has loaded. */
export interface ActingData extends ActingSetup {
  readonly parts: ReturnType<typeof loadedParts>;
}

/** The start message of the thread; the model is opened as the training opens it. */
export interface ActingSetup {
  readonly model: string;
  readonly credit: string;
  readonly strategy: string;
  readonly settings: Settings;
  readonly world: { readonly id: string; readonly options: WorldOptions };
  readonly threads?: number;
  readonly draft?: Draft;
}

export type ToActing =
  | {
      readonly kind: "play";
      readonly id: number;
      readonly assignment: Assignment;
      readonly version: number;
      /** Missing where they are those of the play before. */
      readonly weights?: Float32Array;
    }
  | { readonly kind: "stop" | "close" };

export type FromActing =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly id?: number; readonly error: PlainError }
  | { readonly kind: "played"; readonly id: number; readonly trajectories: readonly Trajectory[] };

export async function openActingThread(setup: ActingSetup, { copy }: WeightsHere): Promise<Away> {
  const thread = startThread(import.meta.url, "acting-worker", { ...setup, parts: loadedParts() });
  const [first] = (await Promise.race([once(thread, "message"), died(thread)])) as [FromActing?];
  if (first?.kind === "failed") {
    await thread.terminate();
    throw asError(first.error);
  }
  const waiting = new Map<
    number,
    { resolve: (played: readonly Trajectory[]) => void; reject: (why: unknown) => void }
  >();
  const failAll = (why: unknown): void => {
    for (const { reject } of waiting.values()) reject(why);
    waiting.clear();
  };
  let broken: EngineError | undefined;
  thread.on("message", (message: FromActing) => {
    if (message.kind === "ready") return;
    if (message.kind === "failed" && message.id === undefined) {
      // A file broke out of its calls there: what was played with it is worth nothing.
      broken = asError(message.error);
      return failAll(broken);
    }
    const asked = waiting.get(message.id ?? -1);
    waiting.delete(message.id ?? -1);
    if (message.kind === "played") asked?.resolve(message.trajectories);
    else asked?.reject(asError(message.error));
  });
  thread.on("error", (cause) => failAll(lost(cause)));
  thread.on("exit", () => failAll(lost(undefined)));
  const tell = (message: ToActing, transfer: ArrayBuffer[] = []): void => thread.postMessage(message, transfer);
  let present = copy();
  let told: number | undefined;
  let count = 0;
  return {
    width: 1,
    renew: () => {
      present = copy();
      return Promise.resolve();
    },
    play: async (assignment, signal) => {
      throwIfAborted(signal);
      if (broken !== undefined) throw broken;
      const id = (count += 1);
      const { version, weights } = present;
      const played = new Promise<readonly Trajectory[]>((resolve, reject) => waiting.set(id, { resolve, reject }));
      const stop = (): void => tell({ kind: "stop" });
      signal.addEventListener("abort", stop, { once: true });
      tell({ kind: "play", id, assignment, version, ...(told === version ? {} : { weights }) });
      told = version;
      try {
        return await played;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    close: async () => {
      tell({ kind: "close" });
      // A thread that ends with an error has ended.
      await once(thread, "exit").catch(() => undefined);
    },
  };
}

async function died(thread: Worker): Promise<never> {
  const [cause] = (await once(thread, "exit")) as readonly unknown[];
  throw lost(cause);
}

function lost(cause: unknown): EngineError {
  return new EngineError(
    "acting-lost",
    "The thread that plays has ended before its work was done. Resume the run with --resume; without --lag it needs no thread.",
    { cause },
  );
}

function asError({ code, message, details }: PlainError): EngineError {
  return EngineError.from({ code, message, details: details ?? {} });
}
