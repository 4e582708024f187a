/** Versions of policies on a worker's disk, by content: each is fetched once, checked, and kept for a while. */
import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { statIfThere, hashFile } from "limbeck-base/base/files";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import type { PolicyFiles, PolicySource } from "./job.ts";
import { hashOfFiles } from "limbeck-policy/policy/local/acting-files";

export interface PolicyCache {
  /** A folder with the files of this version. Two that ask at once share the work. */
  folderOf(policy: PolicyFiles): Promise<string>;
  /** How many versions were fetched. */
  readonly fetched: number;
}

export interface PolicyCacheOptions {
  readonly dir: string;
  /** Folders of this machine that may hold files too: the bundled model's. */
  readonly own?: readonly string[];
  /** Versions kept. Default: 8. */
  readonly keep?: number;
  readonly signal?: AbortSignal;
}

/** Another worker on this machine may be reading a version that was fetched so recently. */
const SPARED_MS = 10 * 60_000;

export function createPolicyCache({ dir, own = [], keep = 8, signal }: PolicyCacheOptions): PolicyCache {
  const folders = own.map((path): PolicySource => ({ kind: "folder", path }));
  const pending = new Map<string, Promise<string>>();
  let fetched = 0;
  const fetchAll = async (policy: PolicyFiles): Promise<string> => {
    const target = join(dir, policy.hash);
    if ((await statIfThere(target)) !== undefined) {
      // The time only says which model to forget first.
      await utimes(target, new Date(), new Date()).catch(() => undefined);
      return target;
    }
    if (hashOfFiles(policy.files) !== policy.hash) throw wrongFiles(policy);
    const scratch = join(dir, `.fetching-${process.pid}-${randomBytes(4).toString("hex")}`);
    await mkdir(scratch, { recursive: true });
    try {
      for (const name of Object.keys(policy.files)) {
        await fetchFile({ ...policy, sources: [...policy.sources, ...folders] }, name, join(scratch, name), signal);
      }
      await rename(scratch, target).catch(async (error: unknown) => {
        // Someone else on this machine was faster; equal names are equal contents.
        if ((await statIfThere(target)) === undefined) throw error;
      });
      fetched += 1;
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
    await prune(dir, keep, target);
    return target;
  };
  return {
    get fetched() {
      return fetched;
    },
    folderOf: (policy) => {
      const known = pending.get(policy.hash);
      if (known !== undefined) return known;
      const work = fetchAll(policy).finally(() => pending.delete(policy.hash));
      pending.set(policy.hash, work);
      return work;
    },
  };
}

async function fetchFile(
  policy: PolicyFiles,
  name: string,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const tried: string[] = [];
  for (const source of policy.sources) {
    try {
      await fetchFrom(source, policy.hash, name, target, signal);
      if ((await hashFile(target)) === policy.files[name]) return;
      tried.push(`${placeOf(source)}: other contents than the job names`);
    } catch (error) {
      tried.push(`${placeOf(source)}: ${error instanceof Error ? error.message : String(error)}`);
    }
    await rm(target, { force: true });
  }
  throw new EngineError(
    "policy-unreachable",
    `Version ${policy.version} of the policy cannot be had: ${name} is at none of its places (${tried.join("; ") || "the job names none"}). Share the folder with this worker, or let the training serve it with --serve.`,
    { details: { version: policy.version, hash: policy.hash, file: name } },
  );
}

async function fetchFrom(
  source: PolicySource,
  version: string,
  name: string,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (source.kind === "folder") {
    await copyFile(join(source.path, name), target);
    return;
  }
  const response = await fetch(`${source.url.replace(/\/$/, "")}/versions/${version}/${name}`, {
    headers: { authorization: `Bearer ${source.token}` },
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(target));
}

function placeOf(source: PolicySource): string {
  return source.kind === "folder" ? source.path : source.url;
}

async function prune(dir: string, keep: number, present: string): Promise<void> {
  const names = (await readdir(dir)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => ({
      path: join(dir, name),
      usedMs: (await stat(join(dir, name)).catch(gone))?.mtimeMs ?? 0,
    })),
  );
  const newest = found.toSorted((left, right) => right.usedMs - left.usedMs);
  for (const { path, usedMs } of newest.slice(keep)) {
    if (path !== present && Date.now() - usedMs > SPARED_MS) await rm(path, { recursive: true, force: true });
  }
}

function gone(error: unknown): undefined {
  if (errorCode(error) !== "ENOENT") throw error;
}

function wrongFiles(policy: PolicyFiles): EngineError {
  return new EngineError("bad-job", `The files of policy ${policy.hash} do not have that hash; the job is damaged.`);
}
