/** File operations of object storage with S3 that keeps the condition "only if there is none". */
import { createHash, randomBytes, type Hash } from "node:crypto";
import { appendFile, mkdir, open, readdir, rename, rm, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mapLimit } from "limbeck-base/base/concurrency";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { TEMPORARY_PREFIX, type Copies, type Files } from "../files.ts";
import { digestOf } from "../local-files.ts";
import { objectKeys, parseObjectAddress, type Environment, type ObjectPlace } from "./address.ts";
import {
  createRequests,
  listObjects,
  mayBeDone,
  mayChange,
  refusal,
  shownAddress,
  type ObjectResponse,
  type Listed,
  type ObjectRequest,
  type RequestOptions,
  type Requests,
} from "./requests.ts";
import { homedir } from "node:os";
import { isThere, pathInside, statIfThere } from "limbeck-base/base/files";
import { LARGEST_FILE, plainBytes } from "limbeck-base/base/plain-file";

const DELETIONS_AT_ONCE = 16;
/** The attempt that created a file: how a writer whose answer was lost recognises its own file. */
const ATTEMPT = "x-amz-meta-limbeck-attempt";

export function objectFiles(address: string, environment: Environment, options: RequestOptions = {}): Files {
  const place = parseObjectAddress(address, environment);
  const requests = createRequests(place, objectKeys(environment, place), options);
  const own = createHash("sha256").update(`${place.endpoint.origin} ${place.bucket} ${place.prefix}`).digest("hex");
  const folder = join(copiesFolder(environment), own.slice(0, 16));
  const copies = openCopies(folder, { mostBytes: copiesLimit(environment) });
  const send: Send = async (request) => {
    const answer = await requests.send(request);
    if (answer.status === 404 && !/<Code>NoSuchBucket</.test(String(answer.body))) return undefined;
    if (answer.status < 200 || answer.status >= 300) throw refusal(place, request, answer);
    return answer;
  };
  const put = async (path: string, body: Uint8Array): Promise<void> => {
    const request = { method: "PUT", path, body } as const;
    if ((await send(request)) === undefined) throw lostPut(place, path);
  };
  const fetch = fetchOnce(place, requests, copies);
  let checked: Promise<void> | undefined;
  return {
    ...lookingInto(place, requests, send),
    digest: async (path) => ((await fetch(path)) ? await digestOf(copies.at(path)) : undefined),
    put,
    putIfAbsent: (path, bytes) => create(place, requests, path, bytes),
    exchange: (path, bytes, version) => exchange(place, requests, path, bytes, version),
    // Nothing can be appended to an object. These lines stand in the metrics and events of the run too.
    append: async (path, text) => {
      await mkdir(dirname(copies.at(path)), { recursive: true });
      await appendFile(copies.at(path), text);
    },
    remove: async (path) => void (await send({ method: "DELETE", path })),
    removeFolder: async (name) => {
      // Without it the rest is no run.
      await send({ method: "DELETE", path: `${name}/run.json` });
      const { files } = await listObjects(place, requests, name, { deep: true });
      await mapLimit(files, DELETIONS_AT_ONCE, ({ path }) => send({ method: "DELETE", path }));
    },
    location: (path) => copies.at(path),
    address: (path) => shownAddress(place, path),
    scratch: (path) => copies.scratch(path),
    adopt: async (scratch, path) => {
      await put(path, await plainBytes(scratch));
      await copies.keep(scratch, path);
    },
    copies: { has: (path) => copies.has(path), fetch, drop: (path) => copies.drop(path) },
    check: async () => {
      checked ??= checkCondition(place, requests);
      await checked.catch((error: unknown) => {
        checked = undefined;
        throw error;
      });
    },
  };
}

type Send = (request: ObjectRequest) => Promise<ObjectResponse | undefined>;

/** What only looks. */
function lookingInto(
  place: ObjectPlace,
  requests: Requests,
  send: Send,
): Pick<Files, "list" | "all" | "sizes" | "stamps" | "read" | "stat" | "look"> {
  return {
    list: async (name) => {
      const { files, folders } = await listObjects(place, requests, name, { deep: false });
      return [...files.map(({ path }) => path), ...folders].map((path) =>
        path.slice(name === "" ? 0 : name.length + 1),
      );
    },
    all: async (name) => (await listObjects(place, requests, name, { deep: true })).files.map(({ path }) => path),
    sizes: async (name) => {
      const { files } = await listObjects(place, requests, name, { deep: false });
      return new Map(files.map(({ path, bytes }) => [path.slice(name.length + 1), bytes]));
    },
    stamps: async (runs) => stampsByRun(new Set(runs), (await listObjects(place, requests, "", { deep: true })).files),
    read: async (path) => {
      const answer = await send({ method: "GET", path });
      if (answer !== undefined) return answer.body.toString();
      const shown = shownAddress(place, path);
      throw Object.assign(new Error(`${shown} does not exist`), { code: "ENOENT", path: shown });
    },
    stat: async (path) => {
      const answer = await send({ method: "HEAD", path });
      if (answer === undefined) return undefined;
      const modifiedMs = Date.parse(answer.headers["last-modified"] ?? "");
      return {
        bytes: Number(answer.headers["content-length"]),
        modifiedMs: Number.isNaN(modifiedMs) ? Date.now() : modifiedMs,
      };
    },
    look: async (path) => {
      const answer = await send({ method: "GET", path });
      if (answer === undefined) return undefined;
      const { etag: version = "", date, "last-modified": modified } = answer.headers;
      // Both by the server's clock; one that sends no time is taken to have ours.
      const now = Date.parse(date ?? "");
      const ageMs = (Number.isNaN(now) ? Date.now() : now) - Date.parse(modified ?? "");
      return { text: answer.body.toString(), version, ageMs: Number.isNaN(ageMs) ? 0 : ageMs };
    },
  };
}

/** Takes copies to this machine; several readers of one process wait for the same one. */
function fetchOnce(place: ObjectPlace, requests: Requests, copies: CopyFolder): Copies["fetch"] {
  const coming = new Map<string, Promise<boolean>>();
  return async (path) => {
    if (await copies.has(path)) {
      await touch(copies.at(path));
      return true;
    }
    const known = coming.get(path);
    if (known !== undefined) return await known;
    const fresh = copies.add(path, (append) => download(place, requests, path, append));
    coming.set(path, fresh);
    try {
      return await fresh;
    } finally {
      coming.delete(path);
    }
  };
}

/** One listing of everything takes a request for a thousand files; to ask run by run takes several for each run. */
function stampsByRun(runs: ReadonlySet<string>, files: readonly Listed[]): Map<string, string> {
  const hashes = new Map<string, Hash>();
  for (const { path, bytes, version } of files) {
    const [run = "", inside = ""] = path.split("/");
    if (!runs.has(run) || !["run.json", "commits", "segments"].includes(inside)) continue;
    // Without versions a file could change unseen.
    if (version === undefined) return new Map();
    const hash = hashes.get(run) ?? createHash("sha256");
    hashes.set(run, hash.update(JSON.stringify([path, bytes, version])));
  }
  return new Map([...hashes].map(([run, hash]) => [run, hash.digest("hex")]));
}

/** Connections that broke off in the middle of one file, each with some of it. */
const MOST_PIECES = 1_000;

function endless(place: ObjectPlace, path: string): EngineError {
  const shown = shownAddress(place, path);
  const message = `${shown} does not end: at most ${LARGEST_FILE.data} bytes in ${MOST_PIECES} pieces are taken of one file. Look at what answers at ${place.endpoint.origin}.`;
  return new EngineError("bad-store", message, { details: { path: shown } });
}

/** Goes on where a broken connection left off: a file never changes. */
async function download(
  place: ObjectPlace,
  requests: Requests,
  path: string,
  append: (bytes: Buffer) => Promise<void>,
): Promise<boolean> {
  let taken = 0;
  let pieces = 0;
  for (let tried = 1; ;) {
    const before = taken;
    const request: ObjectRequest = {
      method: "GET",
      path,
      ...(taken === 0 ? {} : { headers: { range: `bytes=${taken}-` } }),
    };
    // A server that knows no parts of files sends all of it again.
    let skip: number | undefined;
    let failure: unknown;
    try {
      const answer = await requests.once(request, async (bytes, status) => {
        skip ??= status === 206 ? 0 : before;
        const rest = bytes.subarray(Math.min(skip, bytes.length));
        skip -= bytes.length - rest.length;
        taken += rest.length;
        if (taken > LARGEST_FILE.data) throw endless(place, path);
        await append(rest);
      });
      if (answer.status === 200 || answer.status === 206) return true;
      // The file ends where the last answer broke off.
      if (answer.status === 416 && taken > 0) return true;
      if (answer.status === 404) return false;
      if (!mayChange(answer)) throw refusal(place, request, answer);
      failure = answer;
    } catch (error) {
      if (error instanceof EngineError) throw error;
      failure = error;
    }
    tried = taken > before ? 1 : tried;
    pieces += 1;
    if (pieces > MOST_PIECES) throw endless(place, path);
    await requests.pause(tried, request, failure);
    tried += 1;
  }
}

/**
 * Creates the object, or finds out that there is one. A request whose answer was lost may have been done: then the object
 * that is there may be the caller's own, by the attempt in its metadata.
 */
async function create(place: ObjectPlace, requests: Requests, path: string, body: Uint8Array): Promise<boolean> {
  const attempt = randomBytes(12).toString("hex");
  const request = { method: "PUT", path, body, headers: { "if-none-match": "*", [ATTEMPT]: attempt } } as const;
  let isOpen = false;
  for (let tried = 1; ; tried += 1) {
    let failure: unknown;
    try {
      const answer = await requests.once(request);
      if (answer.status >= 200 && answer.status < 300) return true;
      if (answer.status === 412 && !isOpen) return false;
      if (answer.status === 412) return await isOwn(place, requests, path, attempt);
      // Two at once: the server decides when it is asked again.
      if (answer.status !== 409 && !mayChange(answer))
        throw answer.status === 501 ? unfit(place) : refusal(place, request, answer);
      failure = answer;
      isOpen = true;
    } catch (error) {
      if (error instanceof EngineError) throw isOpen ? unknownOutcome(place, path, error) : error;
      failure = error;
      isOpen ||= mayBeDone(error);
    }
    await requests.pause(tried, request, failure).catch((error: unknown) => {
      throw isOpen ? unknownOutcome(place, path, error) : error;
    });
  }
}

/** A request whose answer was lost may have been done, and then the condition no longer holds: the content decides. */
async function exchange(
  place: ObjectPlace,
  requests: Requests,
  path: string,
  body: Uint8Array,
  version: string,
): Promise<string | undefined> {
  const request = { method: "PUT", path, body, headers: { "if-match": version } } as const;
  const answer = await requests.send(request);
  if (answer.status >= 200 && answer.status < 300) return answer.headers.etag ?? "";
  if (![404, 409, 412].includes(answer.status)) throw refusal(place, request, answer);
  const found = await requests.send({ method: "GET", path });
  return found.status === 200 && found.body.equals(body) ? (found.headers.etag ?? "") : undefined;
}

async function isOwn(place: ObjectPlace, requests: Requests, path: string, attempt: string): Promise<boolean> {
  const request = { method: "HEAD", path } as const;
  const answer = await requests.send(request);
  if (answer.status !== 200) throw refusal(place, request, answer);
  return answer.headers[ATTEMPT] === attempt;
}

function unknownOutcome(place: ObjectPlace, path: string, cause: unknown): EngineError {
  const shown = shownAddress(place, path);
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EngineError("outcome-unknown", `Nobody can say whether ${shown} was created. ${why}`, {
    details: { path: shown },
    cause,
  });
}

function lostPut(place: ObjectPlace, path: string): EngineError {
  return new EngineError(
    "bad-store",
    `${shownAddress(place, path)} cannot be written: the server knows no such place.`,
  );
}

/** A server that ignores the condition would let one writer replace what another has committed. */
async function checkCondition(place: ObjectPlace, requests: Requests): Promise<void> {
  const path = `${TEMPORARY_PREFIX}check-${randomBytes(9).toString("hex")}`;
  const body = Buffer.from("Limbeck asks whether this server keeps If-None-Match. This file may be deleted.\n");
  try {
    const first = await create(place, requests, path, body);
    if (!first || (await create(place, requests, path, body))) throw unfit(place);
  } finally {
    // A probe that stays takes a few bytes; the answer is known.
    await requests.send({ method: "DELETE", path }).catch(() => undefined);
  }
}

function unfit({ endpoint }: ObjectPlace): EngineError {
  return new EngineError(
    "store-unfit",
    `${endpoint.origin} does not keep the condition "If-None-Match: *" of a PUT, so that two writers could overwrite each other. Use object storage that does, or a folder.`,
  );
}

// Copies of segments on this machine. Segments never change and their names are used once, so that a copy stays
// right; `verify.ts` compares it with the checksum of its commit before it is read. What was not used for longest
// goes first when the copies take more than their share.

/** What was used since then stays: a query may have it open. */
const IN_USE_MS = 10 * 60_000;
const DEFAULT_GB = 20;

/** LIMBECK_CACHE, or `limbeck/runs` where this system keeps what can be fetched again. */
function copiesFolder(environment: Environment, platform: NodeJS.Platform = process.platform): string {
  const given = environment["LIMBECK_CACHE"];
  if (given !== undefined && given !== "") return given;
  const home = environment["HOME"] ?? homedir();
  const other = platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache");
  const cache =
    platform === "win32" ? (environment["LOCALAPPDATA"] ?? other) : (environment["XDG_CACHE_HOME"] ?? other);
  return join(cache, "limbeck", "runs");
}

/** LIMBECK_CACHE_GB in bytes. Default: 20. */
function copiesLimit(environment: Environment): number {
  const given = environment["LIMBECK_CACHE_GB"] ?? "";
  const gigabytes = given === "" ? DEFAULT_GB : Number(given);
  if (gigabytes >= 0) return gigabytes * 1e9;
  throw new EngineError(
    "bad-option",
    `LIMBECK_CACHE_GB is ${JSON.stringify(given)}; it must be a number from 0. Default: ${DEFAULT_GB}.`,
  );
}

interface CopyFolder {
  /** Where the copy of a file is or would be. */
  at(path: string): string;
  has(path: string): Promise<boolean>;
  drop(path: string): Promise<void>;
  /** Fills a new copy and shows it whole; `fill` says whether there is such a file. */
  add(path: string, fill: (append: (bytes: Buffer) => Promise<void>) => Promise<boolean>): Promise<boolean>;
  /** A name beside the copy for a file in the making. */
  scratch(path: string): Promise<string>;
  /** Makes a file in the making the copy. */
  keep(scratch: string, path: string): Promise<void>;
}

function openCopies(root: string, { mostBytes }: { readonly mostBytes: number }): CopyFolder {
  const at = (path: string): string => pathInside(root, path);
  let added = Number.POSITIVE_INFINITY;
  const scratch = async (path: string): Promise<string> => {
    await mkdir(dirname(at(path)), { recursive: true });
    return join(dirname(at(path)), `${TEMPORARY_PREFIX}${process.pid}-${randomBytes(6).toString("hex")}`);
  };
  const keep = async (from: string, path: string): Promise<void> => {
    await rename(from, at(path));
    added += (await statIfThere(at(path)))?.size ?? 0;
    // Looked at when the first copy comes, and then whenever a twentieth of the share was added.
    if (added < mostBytes / 20) return;
    added = 0;
    await makeRoom(root, mostBytes);
  };
  return {
    at,
    has: (path) => isThere(at(path)),
    drop: (path) => rm(at(path), { force: true }),
    add: async (path, fill) => {
      const name = await scratch(path);
      try {
        const handle = await open(name, "wx");
        try {
          if (!(await fill((bytes) => handle.writeFile(bytes)))) return false;
        } finally {
          await handle.close();
        }
        await keep(name, path);
        return true;
      } finally {
        await rm(name, { force: true });
      }
    },
    scratch,
    keep,
  };
}

/** Marks a copy as used now. */
async function touch(path: string): Promise<void> {
  const now = new Date();
  // The time only says what to forget first.
  await utimes(path, now, now).catch(() => undefined);
}

async function makeRoom(root: string, mostBytes: number): Promise<void> {
  // No folder, no copies.
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const found: { readonly path: string; readonly bytes: number; readonly usedMs: number }[] = [];
  for (const name of names.filter((one) => /\.parquet$|\.tmp-[^/\\]*$/.test(one))) {
    const known = await statIfThere(join(root, name));
    if (known?.isFile() === true) found.push({ path: join(root, name), bytes: known.size, usedMs: known.mtimeMs });
  }
  let bytes = found.reduce((sum, one) => sum + one.bytes, 0);
  for (const one of found.sort((left, right) => left.usedMs - right.usedMs)) {
    if (bytes <= mostBytes || one.usedMs > Date.now() - IN_USE_MS) return;
    await rm(one.path, { force: true }).catch((error: unknown) => {
      // Windows does not remove what is open.
      if (!["EBUSY", "EPERM"].includes(errorCode(error) ?? "")) throw error;
    });
    bytes -= one.bytes;
  }
}
