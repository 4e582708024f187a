/** What a server says of itself over HTTP. Episodes never use these routes: they forget everything between requests. */
import { z } from "zod";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { parseJson, type JsonObject } from "limbeck-base/base/json";
import { boundedText } from "limbeck-base/base/http";
import type { ServerAddress } from "./address.ts";
import { cleanText } from "./text.ts";
import { Advice, Extension, TaskList, type AdviceData } from "./wire.ts";

export interface ServerDescription {
  readonly name: string;
  readonly description: string;
  readonly actionSchema: JsonObject;
  /** Undefined where the server has none of our extensions. */
  readonly extension: Extension | undefined;
}

export interface Limits {
  /** For connecting, and for one route. */
  readonly connectTimeoutMs: number;
  /** For one answer on the socket. */
  readonly timeoutMs: number;
}

const MAX_BYTES = 16 * 1024 * 1024;

const Metadata = z.looseObject({
  name: z.string().default("openenv"),
  description: z.string().nullish(),
  limbeck: z.unknown().optional(),
});
const Schemas = z.object({ action: z.record(z.string(), z.json()) });

export async function describeServer(
  address: ServerAddress,
  limits: Limits,
  signal?: AbortSignal,
): Promise<ServerDescription> {
  const ask = (path: string) => getJson(address, path, limits, signal);
  const metadata = read(Metadata, await ask("/metadata"), address, "/metadata");
  const schemas = read(Schemas, await ask("/schema"), address, "/schema");
  const extension = Extension.safeParse(metadata.limbeck);
  return {
    name: cleanText(metadata.name, 200),
    description: cleanText(metadata.description ?? "", 2_000),
    actionSchema: schemas.action,
    extension: extension.success ? extension.data : undefined,
  };
}

/** A page of a split's tasks; only our servers have the route. */
export async function listTasks(
  address: ServerAddress,
  asked: { readonly split: string; readonly offset: number; readonly count: number },
  limits: Limits,
): Promise<z.infer<typeof TaskList>["tasks"]> {
  const query = new URLSearchParams({
    split: asked.split,
    offset: String(asked.offset),
    count: String(asked.count),
  });
  const path = `/tasks?${query.toString()}`;
  return read(TaskList, await getJson(address, path, limits), address, "/tasks").tasks;
}

/** What a demonstrator of the server would do; only our servers have the route. */
export async function askAdvice(
  address: ServerAddress,
  asked: AdviceData,
  limits: Limits,
): Promise<string | undefined> {
  const answer = await getJson(address, "/advice", limits, undefined, asked);
  return read(Advice, answer, address, "/advice").action ?? undefined;
}

/** With a body it is posted. */
async function getJson(
  address: ServerAddress,
  path: string,
  { connectTimeoutMs }: Limits,
  signal?: AbortSignal,
  body?: object,
): Promise<unknown> {
  throwIfAborted(signal);
  const limit = AbortSignal.timeout(connectTimeoutMs);
  const both = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const [route = path] = path.split("?");
  try {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const { headers } = address;
    const response = await fetch(address.http + path, { headers, redirect: "error", signal: both, ...sent });
    const text = await textOf(response);
    if (response.status === 401 || response.status === 403) {
      throw new EngineError("needs-key", `The server at ${address.shown} asks for another key; give it as key=….`);
    }
    if (!response.ok) {
      throw new EngineError(
        "server-nonsense",
        `${address.shown} answered ${route} with status ${response.status}${detailOf(text)}; is it an OpenEnv server?`,
      );
    }
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throwIfAborted(signal);
    if (cause instanceof EngineError) throw cause;
    if (cause instanceof SyntaxError) {
      throw new EngineError("server-nonsense", `${address.shown} answered ${route} with something that is not JSON.`);
    }
    const why = limit.aborted ? `no answer within ${connectTimeoutMs} ms` : reasonOf(cause);
    throw new EngineError(
      "server-unreachable",
      `The OpenEnv server at ${address.shown} cannot be reached (${why}). Check the address and that it runs.`,
      { cause },
    );
  }
}

/** Why, where the answer says so. */
function detailOf(text: string): string {
  const parsed = z.object({ detail: z.string() }).safeParse(parseJson(text));
  return parsed.success ? ` (${cleanText(parsed.data.detail, 500)})` : "";
}

/** fetch hides the system's reason one level down. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  return cleanText(error.cause instanceof Error ? error.cause.message : error.message, 200);
}

async function textOf(response: Response): Promise<string> {
  const text = await boundedText(response, MAX_BYTES);
  if (text !== undefined) return text;
  throw new EngineError("server-nonsense", `An answer is longer than ${MAX_BYTES} bytes.`);
}

function read<T>(schema: z.ZodType<T>, value: unknown, { shown }: ServerAddress, route: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const why = cleanText(z.prettifyError(parsed.error), 500);
  throw new EngineError("server-nonsense", `The answer of ${shown} to ${route} has another shape: ${why}`);
}
