/**
 * Cassettes: requests to a model are recorded once, and answered from the file ever after, without a key and without a network. A
 * request that is not in the file is drift, and fails; so does an answer that nothing asked for, where `finish` is called.
 */
import { readFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isObject, parseObject, type Json, type JsonObject } from "./lines.ts";
import { createRedactor, type RedactOptions } from "./redact.ts";

export interface CassetteOptions {
  /** JSON lines, one a request; for a repository. */
  readonly file: string;
  /**
   * "replay" sends no request, "record" asks and writes anew. Default: what LIMBECK_CASSETTE says, else replay where the file is there or CI
   * is set, else record.
   */
  readonly mode?: "replay" | "record";
  /** Who is asked while it records. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** What else is left out of the file, which others will read. */
  readonly redact?: RedactOptions;
}

export interface Cassette {
  readonly mode: "replay" | "record";
  /** For clients and providers that take a `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  /** Writes what was recorded. While it replays: throws where answers are left over. */
  finish(): Promise<void>;
}

interface Turn {
  readonly request: JsonObject;
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** An answer that is longer is no answer of a model. */
const MOST_BYTES = 32 * 1024 * 1024;

export class CassetteDrift extends Error {
  override readonly name = "CassetteDrift";
}

export function createCassette({ file, mode, fetch = globalThis.fetch, redact }: CassetteOptions): Cassette {
  const chosen = mode ?? modeOf(file);
  const redactor = createRedactor(redact);
  const turns: Turn[] = chosen === "replay" ? read(file) : [];
  const used = new Set<number>();
  // What is compared is what is written: no key, no header, secrets taken out of the body too.
  const requestOf = async (request: Request): Promise<JsonObject> => {
    const text = await request.text();
    const { pathname, search } = new URL(request.url);
    const body: Json = parseObject(text) ?? text;
    return redactor.object({ method: request.method, path: `${pathname}${search}`, body });
  };
  const replay = (asked: JsonObject): Response => {
    const wanted = keyOf(asked);
    const at = turns.findIndex((turn, index) => !used.has(index) && keyOf(turn.request) === wanted);
    const found = turns[at];
    if (found === undefined)
      throw new CassetteDrift(
        driftText(
          file,
          asked,
          turns.filter((_, index) => !used.has(index)),
        ),
      );
    used.add(at);
    return new Response(found.body, { status: found.status, headers: { "content-type": found.type } });
  };
  return {
    mode: chosen,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const asked = await requestOf(request.clone());
      if (chosen === "replay") return replay(asked);
      const response = await fetch(request);
      const body = await response.text();
      if (body.length > MOST_BYTES)
        throw new CassetteDrift(`An answer for ${file} has more than ${MOST_BYTES} letters; it is not recorded.`);
      const type = response.headers.get("content-type") ?? "application/json";
      turns.push({ request: asked, status: response.status, type, body: redactor.text(body) });
      return new Response(body, { status: response.status, headers: { "content-type": type } });
    },
    finish: async () => {
      if (chosen === "record") return await write(file, turns);
      const left = turns.length - used.size;
      if (left === 0) return;
      throw new CassetteDrift(
        `${left} of ${turns.length} recorded requests of ${file} were not made. Record it anew (LIMBECK_CASSETTE=record) if that is meant.`,
      );
    },
  };
}

function modeOf(file: string): "replay" | "record" {
  const { LIMBECK_CASSETTE: said, CI: ci } = process.env;
  if (said === "replay" || said === "record") return said;
  if (said !== undefined && said !== "")
    throw new CassetteDrift(`LIMBECK_CASSETTE takes "replay" or "record"; got ${JSON.stringify(said)}.`);
  return (ci ?? "") !== "" || textOf(file) !== undefined ? "replay" : "record";
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // What cannot be read is not there; `read` says so where it is needed.
    return undefined;
  }
}

function read(file: string): Turn[] {
  const text = textOf(file);
  if (text === undefined)
    throw new CassetteDrift(
      `There is no cassette ${file}. Record it once, where there is a key: LIMBECK_CASSETTE=record.`,
    );
  return text.split("\n").flatMap((line, at): Turn[] => {
    if (line.trim() === "") return [];
    const turn = parseObject(line);
    const { request, status, type, body } = turn ?? {};
    if (!isObject(request) || typeof status !== "number" || typeof type !== "string" || typeof body !== "string")
      throw new CassetteDrift(
        `Line ${at + 1} of ${file} is no recorded request. Record it anew: LIMBECK_CASSETTE=record.`,
      );
    return [{ request, status, type, body }];
  });
}

/** A reader sees the old file or the new one. */
async function write(file: string, turns: readonly Turn[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const writing = `${file}.${process.pid}`;
  await writeFile(writing, turns.map((turn) => `${JSON.stringify(turn)}\n`).join(""));
  await rename(writing, file);
}

/** Equal for equal values, whatever the order of their keys. */
function keyOf(value: Json): string {
  return JSON.stringify(value, (_, own: unknown) =>
    isObject(own) ? Object.fromEntries(Object.entries(own).sort(([one], [other]) => (one < other ? -1 : 1))) : own,
  );
}

function driftText(file: string, asked: JsonObject, left: readonly Turn[]): string {
  const cure = "Record it anew (LIMBECK_CASSETTE=record) if the change is meant.";
  const [next] = left;
  if (next === undefined)
    return `${file} has no further answer, but ${JSON.stringify(asked["path"])} was asked. ${cure}`;
  const [place, before, now] = firstDifference(next.request, asked) ?? ["", null, null];
  return `A request is not in ${file}. Its next one differs at ${place}: recorded ${clip(before)}, asked ${clip(now)}. ${cure}`;
}

function firstDifference(one: Json, other: Json, place = ""): [string, Json, Json] | undefined {
  if (keyOf(one) === keyOf(other)) return undefined;
  const isDeep = (isObject(one) && isObject(other)) || (Array.isArray(one) && Array.isArray(other));
  if (!isDeep) return [place, one, other];
  const [left, right] = [one, other] as [JsonObject, JsonObject];
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const found = firstDifference(left[key] ?? null, right[key] ?? null, place === "" ? key : `${place}.${key}`);
    if (found !== undefined) return found;
  }
  return [place, one, other];
}

function clip(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
