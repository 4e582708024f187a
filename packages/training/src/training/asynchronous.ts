/**
 * Rollout and learning side by side. Episodes of later updates are played elsewhere, with weights of an earlier version,
 * while this process learns. How much earlier is bounded: with a lag of 0 each batch waits for the weights that the
 * update before it left, and the training is exactly the synchronous one.
 *
 * Back-pressure goes both ways: playing is never further ahead than the lag allows, and the learning waits for its batch.
 */
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Assignment } from "limbeck-core/update/collect";
import type { FamilySkills } from "limbeck-core/update/agent";

/** Remote players: a thread, a fleet. */
export interface Away {
  /** Batches that it can work on at the same time. */
  readonly width: number;
  /** Takes over the present weights; what is played from now on is played with them. */
  renew(): Promise<void>;
  play(assignment: Assignment, signal: AbortSignal): Promise<readonly Trajectory[]>;
  close(): Promise<void>;
}

export interface SupplyOptions {
  readonly away: Away;
  /** Most updates between the weights that played a batch and those that learn from it. */
  readonly lag: number;
  /** Updates already done, and in all. */
  readonly from: number;
  readonly updates: number;
  readonly assign: (update: number, skills: FamilySkills) => Promise<Assignment>;
  /** The version of the weights now, as tokens name it. */
  readonly version: () => number;
  readonly skills: FamilySkills;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface Supply {
  /** The episodes of an update, and how stale they are. */
  take(update: number): Promise<Taken>;
  /** An update is learned: its weights are there for what is played next. */
  learned(update: number, skills: FamilySkills): Promise<void>;
  /** Gives up what is being played. */
  close(): Promise<void>;
}

export interface Taken {
  readonly trajectories: readonly Trajectory[];
  readonly metrics: Readonly<Record<string, number>>;
}

interface Batch {
  readonly update: number;
  /** Updates that had been learned when its weights were taken. */
  readonly after: number;
  readonly played: Promise<readonly Trajectory[]>;
  done: boolean;
}

export function createSupply(options: SupplyOptions): Supply {
  const { away, lag, updates, assign, now } = options;
  const stop = new AbortController();
  const forward = (): void => stop.abort(options.signal.reason);
  options.signal.addEventListener("abort", forward, { once: true });
  const batches = new Map<number, Batch>();
  let { from: learned, skills } = options;
  let next = learned + 1;
  let renewed: Promise<void> | undefined;
  // While weights are handed over nothing is begun: it would not be clear with which.
  let handingOver = false;
  // Time without anything to play, which is what the bound costs.
  let idleSince: number | undefined;
  let idleSeconds = 0;

  const running = (): number => [...batches.values()].filter(({ done }) => !done).length;
  const begin = (update: number): void => {
    if (idleSince !== undefined) idleSeconds += (now() - idleSince) / 1_000;
    idleSince = undefined;
    const played = assign(update, skills).then((assignment) => away.play(assignment, stop.signal));
    const batch: Batch = { update, after: learned, played, done: false };
    batches.set(update, batch);
    const ended = (): void => {
      batch.done = true;
      if (running() === 0) idleSince ??= now();
      pump();
    };
    // Whoever takes the batch meets its failure.
    played.then(ended, ended);
  };
  const pump = (): void => {
    if (stop.signal.aborted || handingOver) return;
    while (next <= Math.min(updates, learned + 1 + lag) && running() < away.width) {
      begin(next);
      next += 1;
    }
  };
  return {
    take: async (update) => {
      renewed ??= away.renew();
      await renewed;
      pump();
      const asked = now();
      const batch = batches.get(update) as Batch;
      const trajectories = await batch.played;
      batches.delete(update);
      const ahead = [...batches.values()].filter(({ done }) => done).length;
      const metrics = {
        "async/lag": update - 1 - batch.after,
        "async/waitedSeconds": (now() - asked) / 1_000,
        "async/idleSeconds": idleSeconds,
        "async/ahead": ahead,
        ...staleness(trajectories, options.version()),
      };
      idleSeconds = 0;
      return { trajectories, metrics };
    },
    learned: async (update, present) => {
      handingOver = true;
      await away.renew();
      handingOver = false;
      [learned, skills] = [update, present];
      pump();
    },
    close: async () => {
      stop.abort();
      options.signal.removeEventListener("abort", forward);
      await Promise.allSettled([...batches.values()].map(({ played }) => played));
      await away.close();
    },
  };
}

/** Steps of the optimiser between the weights that sampled a token and the present ones. */
export function staleness(trajectories: readonly Trajectory[], version: number): Record<string, number> {
  let [sum, most, tokens] = [0, 0, 0];
  for (const { streams } of trajectories) {
    for (const { mask, versions } of streams) {
      versions?.forEach((own, at) => {
        if (mask[at] !== 1) return;
        sum += version - own;
        most = Math.max(most, version - own);
        tokens += 1;
      });
    }
  }
  return tokens === 0 ? {} : { "async/staleness": sum / tokens, "async/mostStale": most };
}
