/**
 * Whether a result is what a worker played. Each is signed by its worker, with the version of the policy; some are played again in the
 * caller's own copy of the world, action by action, and must come to the same rewards.
 */
import { z } from "zod";
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { EngineError, errorData } from "limbeck-base/base/errors";
import { canonicalJson, parseJson } from "limbeck-base/base/json";
import { createForest } from "limbeck-base/trajectory/forest";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { wholeEpisode } from "limbeck-base/trajectory/whole-episode";
import type { Env } from "limbeck-core/env/env";
import { isInternal } from "limbeck-core/walk/worlds";
import type { RolloutJob } from "./job.ts";

const MOST_HEAD = 1_000;

export interface Identity {
  readonly name: string;
  /** Its public half, which the worker announces: SPKI in base64. */
  readonly key: string;
  readonly sign: (text: string) => string;
}

/** A new one each time a worker starts. */
export function createIdentity(name: string): Identity {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    name,
    key: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString("base64"),
  };
}

export function isSigned(text: string, signature: string, key: string): boolean {
  try {
    const known = createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" });
    return verify(null, Buffer.from(text), known, Buffer.from(signature, "base64"));
  } catch {
    // A key or a signature that is none.
    return false;
  }
}

/** The version of the policy that a job names; null where it has none. */
export function versionOf({ agent }: RolloutJob): number | null {
  return "policy" in agent ? agent.policy.version : null;
}

/** What a worker signs: which job, with which version, and the very bytes of the episodes. */
export function statement(job: RolloutJob, bytes: Uint8Array): string {
  const episodes = createHash("sha256").update(bytes).digest("hex");
  return canonicalJson({ job: job.key, version: versionOf(job), episodes });
}

/** Who played, in front of the bytes and written with them: a job that is played twice must not have the bytes of one and the name of the other. */
export function signedBytes(job: RolloutJob, bytes: Uint8Array, { name, sign }: Identity): Buffer {
  const head = JSON.stringify({ worker: name, signature: sign(statement(job, bytes)) });
  return Buffer.concat([Buffer.from(`${head}\n`), bytes]);
}

const Head = z.object({ worker: z.string(), signature: z.string() });
export type Signed = z.output<typeof Head> & { readonly bytes: Buffer };

/** Undefined where nothing of the kind stands in front. */
export function readSigned(value: Buffer): Signed | undefined {
  const end = value.subarray(0, MOST_HEAD).indexOf("\n");
  const head = Head.safeParse(end < 0 ? undefined : parseJson(value.toString("utf8", 0, end)));
  return head.success ? { ...head.data, bytes: value.subarray(end + 1) } : undefined;
}

/** What is wrong with episodes, seen without playing them. */
export function mismatch(job: RolloutJob, episodes: readonly Trajectory[]): string | undefined {
  const version = versionOf(job);
  for (const { id, task, policy } of episodes) {
    if (task.id !== job.task.id) return `episode ${id} is of task "${task.id}", not "${job.task.id}"`;
    if (version !== null && policy.version !== undefined && policy.version !== version) {
      return `episode ${id} was played with version ${policy.version}, not ${version}`;
    }
  }
  return undefined;
}

/** How an episode differs from its actions played again; undefined where it does not, or where the world is not the same twice. */
export async function findReplayDifference(env: Env, episodes: readonly Trajectory[]): Promise<string | undefined> {
  const forest = createForest(episodes);
  for (const { id, ending } of episodes) {
    if (ending === "failed") continue;
    const whole = wholeEpisode(forest, id);
    const found = await difference(env, whole);
    if (found !== undefined && found === (await difference(env, whole))) return `episode ${id}: ${found}`;
  }
  return undefined;
}

async function difference(env: Env, { task, steps, success, reward, ending }: Trajectory): Promise<string | undefined> {
  const episode = await env.open(task);
  try {
    for (const step of steps) {
      // These never came to the world.
      if (isInternal(step) || step.info?.["unfinished"] === true) continue;
      if (episode.ending !== undefined) return `it goes on at step ${step.index}, and here it had ended`;
      const result = await episode.step(step.action);
      const [theirs, ours] = [scoreValue(step.reward), scoreValue(result.reward)];
      if (!isNear(theirs, ours)) return `step ${step.index} earned ${theirs}, and here ${ours}`;
    }
    if ((success === true) !== (episode.success === true)) {
      return `its success is ${String(success)}, and here ${String(episode.success)}`;
    }
    const [theirs, ours] = [scoreValue(reward), scoreValue(episode.reward)];
    return ending === episode.ending && !isNear(theirs, ours) ? `it earned ${theirs}, and here ${ours}` : undefined;
  } finally {
    await episode.close();
  }
}

function isNear(left: number | null | undefined, right: number | null | undefined): boolean {
  if (typeof left !== "number" || typeof right !== "number") return left === right;
  return Math.abs(left - right) <= 1e-9 * Math.max(1, Math.abs(left), Math.abs(right));
}

export function untrustedError(worker: string, why: string): EngineError {
  return new EngineError(
    "bad-job",
    `Results of worker ${worker} are not believed: ${why}. Look at its machine, its release and its worlds, then start it again.`,
    { details: { worker } },
  );
}

/** A world that cannot be opened here cannot be played again here. */
export function cannotReplay(error: unknown): string {
  return `Results of this rollout are not played again here: ${errorData(error).message}`;
}
