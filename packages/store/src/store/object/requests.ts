/**
 * Requests to a server with S3, one at a time or until it answers. Networks and servers fail for a while: what may
 * be asked again is asked again, later and later, and after the last time the error says what happened.
 */
import { createHash } from "node:crypto";
import * as http from "node:http";
import * as https from "node:https";
import { setTimeout } from "node:timers/promises";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { readBytes } from "limbeck-base/base/http";
import type { ObjectPlace } from "./address.ts";
import { EMPTY_HASH, encodedPath, queryText, signedHeaders, type ObjectKeys } from "./signature.ts";

export interface RequestOptions {
  /** How often one request is sent before it is given up. Default: 8. */
  readonly tries?: number;
  /** Before the second time; doubled each time, up to 5 seconds. Default: 100 ms. */
  readonly pauseMs?: number;
  /** A server that sends nothing for so long is given up. Default: 30 seconds. */
  readonly silenceMs?: number;
}

export interface ObjectRequest {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** Inside the store; undefined asks for the bucket itself. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface ObjectResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Takes a piece of a body; the status is 200 for the whole file, 206 for a part. */
export type TakeBytes = (bytes: Buffer, status: number) => Promise<void>;

export interface Requests {
  /** One request, sent once. Fails when no whole answer came. `onBytes` takes the body of a good answer as it comes. */
  once(request: ObjectRequest, onBytes?: TakeBytes): Promise<ObjectResponse>;
  /** Sent until there is an answer that stays the same when it is asked again. */
  send(request: ObjectRequest): Promise<ObjectResponse>;
  /** Waits before the next try; fails when there is none, with what went wrong in this one. */
  pause(tried: number, request: ObjectRequest, failure: unknown): Promise<void>;
}

const LONGEST_PAUSE_MS = 5_000;
/** No answer but a file is longer: a page of a listing has at most 1,000 names. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Of one listing: a store of a hundred thousand runs has fewer. */
const MOST_NAMES = 5_000_000;
const MOST_EMPTY_PAGES = 100;
/** A body that comes more slowly than this, a minute long, is given up like silence: a byte now and then would hold a reader for ever. */
const LEAST_BYTES_A_MINUTE = 16 * 1024;
const AGAIN: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** The request never reached a server. */
const NOT_REACHED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** An answer after which the same request may get another one. */
export function mayChange({ status, body }: ObjectResponse): boolean {
  return AGAIN.has(status) || (status === 400 && codeIn(body) === "RequestTimeout");
}

/** Whether the server may have done what it was asked, although it did not say so. */
export function mayBeDone(failure: unknown): boolean {
  return !NOT_REACHED.has(errorCode(failure) ?? "");
}

export function createRequests(place: ObjectPlace, keys: ObjectKeys, options: RequestOptions = {}): Requests {
  const { tries = 8, pauseMs = 100, silenceMs = 30_000 } = options;
  const { endpoint, bucket, prefix, inHost } = place;
  const { Agent, request: open } = endpoint.protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const host = inHost ? `${bucket}.${endpoint.host}` : endpoint.host;

  const once: Requests["once"] = async (asked, onBytes) => {
    const { method, query = {}, body } = asked;
    const key = asked.path === undefined ? "" : `${prefix}${asked.path}`;
    const path = encodedPath(inHost ? `/${key}` : `/${bucket}${asked.path === undefined ? "" : `/${key}`}`);
    const bodyHash = body === undefined ? EMPTY_HASH : createHash("sha256").update(body).digest("hex");
    const given = { ...asked.headers, ...(method === "PUT" ? { "content-length": String(body?.length ?? 0) } : {}) };
    const unsigned = { method, host, path, query, headers: given, bodyHash };
    const headers = signedHeaders(unsigned, { keys, region: place.region, now: new Date() });
    const search = queryText(query);
    return await new Promise<ObjectResponse>((resolve, reject) => {
      const sent = open(
        {
          agent,
          method,
          headers,
          protocol: endpoint.protocol,
          hostname: inHost ? `${bucket}.${endpoint.hostname}` : endpoint.hostname.replaceAll(/^\[|\]$/g, ""),
          port: endpoint.port,
          path: search === "" ? path : `${path}?${search}`,
        },
        (response) => {
          takeAnswer(response, onBytes).then(resolve, (error: unknown) => {
            sent.destroy();
            reject(error);
          });
        },
      );
      sent.setTimeout(silenceMs, () => {
        sent.destroy(Object.assign(new Error(`no answer for ${silenceMs / 1_000} s`), { code: "ETIMEDOUT" }));
      });
      sent.on("error", reject);
      sent.end(body);
    });
  };

  const pause: Requests["pause"] = async (tried, asked, failure) => {
    if (tried >= tries) throw unreachable(place, asked, tries, failure);
    const longest = Math.min(LONGEST_PAUSE_MS, pauseMs * 2 ** (tried - 1));
    // Many writers that were turned away at once must not come back at once.
    await setTimeout(longest * (0.5 + Math.random() / 2));
  };

  const send: Requests["send"] = async (asked) => {
    for (let tried = 1; ; tried += 1) {
      let failure: unknown;
      try {
        const answer = await once(asked);
        if (!mayChange(answer)) return answer;
        failure = answer;
      } catch (error) {
        failure = error;
      }
      await pause(tried, asked, failure);
    }
  };
  return { once, send, pause };
}

async function takeAnswer(response: http.IncomingMessage, onBytes: TakeBytes | undefined): Promise<ObjectResponse> {
  const { statusCode: status = 0, headers } = response;
  const hurry = hurryUp(response);
  try {
    return await takeBody(response, { status, headers }, onBytes);
  } finally {
    clearInterval(hurry);
  }
}

/** Breaks a body off that hardly comes. */
function hurryUp(response: http.IncomingMessage): NodeJS.Timeout {
  let before = 0;
  const watch = setInterval(() => {
    const bytes = response.socket?.bytesRead ?? 0;
    if (bytes - before < LEAST_BYTES_A_MINUTE) {
      response.destroy(Object.assign(new Error("the answer hardly comes"), { code: "ETIMEDOUT" }));
    }
    before = bytes;
  }, 60_000);
  return watch.unref();
}

async function takeBody(
  response: http.IncomingMessage,
  { status, headers }: Pick<ObjectResponse, "status" | "headers">,
  onBytes: TakeBytes | undefined,
): Promise<ObjectResponse> {
  if (onBytes !== undefined && status >= 200 && status < 300) {
    for await (const bytes of response) await onBytes(bytes as Buffer, status);
    return { status, headers, body: Buffer.of() };
  }
  const body = await readBytes(response, MOST_BYTES);
  if (body === undefined) throw new Error(`the answer has more than ${MOST_BYTES} bytes`);
  return { status, headers, body };
}

/** What the server gives as the reason: a word, and a sentence where it has one. */
function reasonOf({ status, body }: ObjectResponse): string {
  const message = /<Message>([^<]{1,300})/.exec(String(body.subarray(0, 10_000)))?.[1];
  return [String(status), codeIn(body), message].filter((part) => part !== undefined).join(", ");
}

function codeIn(body: Buffer): string | undefined {
  return /<Code>(\w{1,60})</.exec(String(body.subarray(0, 10_000)))?.[1];
}

/** A file of the store in messages. */
export function shownAddress({ bucket, prefix }: ObjectPlace, path = ""): string {
  return `s3://${bucket}/${prefix}${path}`;
}

function unreachable(
  place: ObjectPlace,
  { method, path }: ObjectRequest,
  tries: number,
  failure: unknown,
): EngineError {
  const why = isAnswer(failure)
    ? reasonOf(failure)
    : failure instanceof Error
      ? failure.message || failure.name
      : String(failure);
  const shown = shownAddress(place, path);
  return new EngineError(
    "store-unreachable",
    `${place.endpoint.origin} did not do ${method} ${shown}, asked ${tries} times: ${why}. Nothing that was committed is lost; try again when it answers.`,
    { details: { path: shown, tries }, cause: isAnswer(failure) ? undefined : failure },
  );
}

function isAnswer(value: unknown): value is ObjectResponse {
  return typeof value === "object" && value !== null && "status" in value && "body" in value;
}

/** The error for an answer that no repetition changes. */
export function refusal(place: ObjectPlace, { method, path }: ObjectRequest, answer: ObjectResponse): EngineError {
  const shown = shownAddress(place, path);
  const details = { path: shown, status: answer.status };
  const said = `${place.endpoint.origin} refused ${method} ${shown}: ${reasonOf(answer)}.`;
  if (answer.status === 401 || answer.status === 403) {
    const wayOut =
      "Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and what they may do, the region, and this machine's clock.";
    return new EngineError("no-access", `${said} ${wayOut}`, { details });
  }
  if (answer.status === 404)
    return new EngineError("bad-store", `${said} Create the bucket, or choose another.`, { details });
  if (answer.status >= 300 && answer.status < 400) {
    return new EngineError("bad-store", `${said} The bucket is elsewhere: give its region, or its endpoint.`, {
      details,
    });
  }
  return new EngineError("file-error", said, { details });
}

// Names below a prefix, page by page.

export interface Listed {
  readonly path: string;
  readonly bytes: number;
  /** What the server calls its content, mostly a checksum; undefined where it does not say. */
  readonly version: string | undefined;
}

/** Files and folders below a folder; with `deep` all files of all folders and no folders. Paths are of the store. */
export async function listObjects(
  place: ObjectPlace,
  requests: Requests,
  folder: string,
  { deep }: { readonly deep: boolean },
): Promise<{ readonly files: Listed[]; readonly folders: string[] }> {
  const found = { files: [] as Listed[], folders: [] as string[] };
  const asked = new Set<string>();
  let empty = 0;
  for (let after: string | undefined; ;) {
    const before = found.files.length + found.folders.length;
    const request = {
      method: "GET",
      query: {
        "list-type": "2",
        "encoding-type": "url",
        prefix: `${place.prefix}${folder === "" ? "" : `${folder}/`}`,
        ...(deep ? {} : { delimiter: "/" }),
        ...(after === undefined ? {} : { "continuation-token": after }),
      },
    } as const;
    const answer = await requests.send(request);
    if (answer.status !== 200) throw refusal(place, request, answer);
    const text = answer.body.toString();
    for (const [, part = ""] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      const path = inStore(place, folder, tag(part, "Key") ?? "");
      // Some programs make an empty object for a folder.
      if (path === "" || path.endsWith("/")) continue;
      found.files.push({
        path,
        bytes: Number(tag(part, "Size")),
        version: tag(part, "ETag"),
      });
    }
    for (const [, part = ""] of text.matchAll(/<CommonPrefixes>(.*?)<\/CommonPrefixes>/gs)) {
      found.folders.push(inStore(place, folder, tag(part, "Prefix") ?? "").replace(/\/$/, ""));
    }
    after = tag(text, "IsTruncated") === "true" ? plain(tag(text, "NextContinuationToken") ?? "") : undefined;
    if (after === undefined || after === "") return found;
    // A page may be empty, and the next one not; a listing that comes back to a page, or never ends, is none.
    const names = found.files.length + found.folders.length;
    if (names === before) empty += 1;
    if (asked.has(after) || names > MOST_NAMES || empty > MOST_EMPTY_PAGES) throw endlessListing(place, folder, names);
    asked.add(after);
  }
}

function endlessListing(place: ObjectPlace, folder: string, names: number): EngineError {
  const shown = shownAddress(place, folder);
  return new EngineError(
    "bad-store",
    `The listing of ${shown} at ${place.endpoint.origin} does not end: ${names} names so far; at most ${MOST_NAMES}, with at most ${MOST_EMPTY_PAGES} pages that hold none. Look at what answers at that address, or keep fewer runs in one store.`,
    { details: { path: shown, names } },
  );
}

/** The path of a key; a server that lists keys of other places would have it written over something else. */
function inStore({ prefix, bucket, endpoint }: ObjectPlace, folder: string, encoded: string): string {
  const asked = `${prefix}${folder === "" ? "" : `${folder}/`}`;
  let key: string | undefined;
  try {
    key = decodeURIComponent(plain(encoded).replaceAll("+", " "));
  } catch {
    // Not the encoding that was asked for: refused below.
  }
  if (key?.startsWith(asked) === true) return key.slice(prefix.length);
  throw new EngineError(
    "bad-store",
    `${endpoint.origin} lists the key ${JSON.stringify((key ?? encoded).slice(0, 200))} below "${asked}" of bucket ${bucket}, where it does not belong or cannot be read. Nothing was written. Look at what answers at that address.`,
  );
}

function tag(text: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function plain(text: string): string {
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w{2,4});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name] ?? whole;
    const code = name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}
