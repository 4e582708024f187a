/** Updates whose content follows from their number alone, and what a run must hold that has the first n of them. */
import { createHash } from "node:crypto";
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { UpdateEvent } from "../../packages/training/src/training/events.ts";
import type { Step, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import type { UpdateRecord } from "../../packages/core/src/update/record.ts";

export const RUN = "killed";
const STEPS_EACH = 20;

export interface Sizes {
  /** Steps of an update. */
  readonly least: number;
  readonly most: number;
}

export function episodesIn(update: number, { least, most }: Sizes): number {
  return Math.ceil((least + createRng(`update ${update}`).int(most - least + 1)) / STEPS_EACH);
}

export function expectedRows(updates: number, sizes: Sizes): { readonly episodes: number; readonly steps: number } {
  let episodes = 0;
  for (let update = 1; update <= updates; update += 1) episodes += episodesIn(update, sizes);
  return { episodes, steps: episodes * STEPS_EACH };
}

/** A number that only who has done every update before can know: the digest of the digest. */
export function nextDigest(digest: number, update: number): number {
  return createHash("sha256").update(`${digest} ${update}`).digest().readUInt32LE(0);
}

export function digestAfter(updates: number): number {
  let digest = 0;
  for (let update = 1; update <= updates; update += 1) digest = nextDigest(digest, update);
  return digest;
}

/** What the first updates left in the store and no more: one row for each metric of each. */
export function* scriptedEpisodes(update: number, sizes: Sizes): Generator<Trajectory, void, undefined> {
  const count = episodesIn(update, sizes);
  for (let at = 0; at < count; at += 1) {
    const id = `${update}/${at}`;
    const steps = Array.from({ length: STEPS_EACH }, (_, index): Step => ({
      index,
      observation: `room ${index} of ${id}`,
      stateKey: `room ${index}`,
      action: "go east",
      valid: true,
      reward: { kind: "scored", value: 0 },
    }));
    yield {
      id,
      task: { id: `task-${at}`, env: "corridor", seed: at, goal: "Reach the last room.", split: "train" },
      group: `${update}/${at >> 2}`,
      steps,
      streams: [],
      ending: "terminated",
      reward: { kind: "scored", value: at % 2 },
      success: at % 2 === 1,
      rewards: [],
      policy: { name: "scripted", version: update },
    };
  }
}

export function scriptedRecord(update: number, sizes: Sizes): UpdateRecord {
  return {
    episodes: [...scriptedEpisodes(update, sizes)],
    beside: [],
    played: undefined,
    analyses: new Map(),
    solutions: new Map(),
    metrics: {},
    notices: [],
    seconds: { collect: 0, analyse: 0, rescore: 0, credit: 0, learn: 0 },
    skills: {},
    kept: null,
    credited: undefined,
    creditState: null,
    taught: undefined,
    diagnostics: undefined,
    divergences: new Map(),
    stopTeacher: undefined,
  };
}

export function scriptedEvent(update: number, digest: number): UpdateEvent {
  const phases = { collect: 0, analyse: 0, rescore: 0, credit: 0, learn: 0 };
  const spent = { environmentSteps: 0, sampledTokens: 0, modelTokens: 0, updateSeconds: 0, seconds: 0 };
  const figures = { updates: update, success: 0.5, episodes: 0, reward: 0.5, entropy: 0, seconds: 0 };
  return { kind: "update", update, ...figures, metrics: { digest }, phases, spent };
}
