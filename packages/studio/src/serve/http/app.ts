/** The server's routes: guard, endpoints from their table, event streams, and the pages' files. */
import { Hono, type Context } from "hono";
import { z } from "zod";
import { EngineError, errorData, isAbort } from "limbeck-base/base/errors";
import type { EngineErrorCode } from "limbeck-base/base/error-codes";
import { exitClassOf } from "limbeck-base/base/exit-class";
import { readBytes } from "limbeck-base/base/http";
import {
  endpoints,
  streams,
  type Answer,
  type Endpoint,
  type EndpointName,
  type Endpoints,
  type QueryOf,
} from "../api/endpoints.ts";
import { type ApiError, apiError } from "../api/base.ts";
import type { Assets } from "./assets.ts";
import { compressBody, encodingOf, type Body } from "./compress.ts";
import { eventStream, type EventSource } from "./event-stream.ts";
import type { AskedBy, Guard } from "./guard.ts";
import { SECURITY_HEADERS } from "./headers.ts";
import { noTokenPage } from "./no-token-page.ts";
import { runEvents, storeEvents } from "../api/live.ts";

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

export interface EndpointRequest<Name extends EndpointName> {
  readonly query: QueryOf<Name>;
  readonly body: Endpoints[Name] extends { readonly body: infer Schema } ? OutputOf<Schema> : undefined;
  /** Ids in the path. */
  readonly id: (name: "run" | "arena") => string;
  /** Fires when the client goes away. */
  readonly signal: AbortSignal;
}

export type Handlers = { readonly [Name in EndpointName]: (asked: EndpointRequest<Name>) => Promise<Answer<Name>> };

interface StreamHandlers {
  readonly runEvents: (run: string, last: string | undefined) => EventSource;
  readonly storeEvents: () => EventSource;
}

type Right = NonNullable<Endpoint["needs"]>;

const WAYS: Readonly<Record<Right, string>> = {
  write: "This server only reads. Start it with --write to judge episodes, to label runs and to decide about skills.",
  train: "Nothing can be trained from here. Start the studio with --train, on this machine.",
};

interface AppParts {
  readonly version: string;
  readonly guard: Guard;
  readonly handlers: Handlers;
  readonly streams: StreamHandlers;
  readonly rights: Readonly<Record<Right, boolean>>;
  /** The pages; undefined where they were not built. */
  readonly assets: Assets | undefined;
  /** How long an answer serves others that ask the same. Default: until it is there. */
  readonly keepMs?: number | undefined;
  /** Fires when the server stops: open streams end. */
  readonly stopping: AbortSignal;
}

export const MOST_BODY_BYTES = 1024 * 1024;

export function createApp(parts: AppParts): Hono {
  const { guard, handlers, version } = parts;
  const app = new Hono({ strict: false });
  const shared = createSharedAnswers<Body>({ keepMs: parts.keepMs });
  /** An event ends shared answers, so that the next request gets fresh data. */
  const partOnEvent = (source: EventSource): EventSource =>
    async function* events(signal) {
      for await (const event of source(signal)) {
        if (event !== undefined) shared.part();
        yield event;
      }
    };
  app.use(async (context, next) => {
    const asked = askedBy(context);
    guard.checkPlace(asked);
    const given = context.req.query("token");
    if (given !== undefined && context.req.method === "GET") return enter(context, guard, given);
    return await next();
  });
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const endpoint: Endpoint = endpoints[name];
    app.on(endpoint.method.toUpperCase(), honoPath(endpoint.path), async (context) => {
      if (endpoint.needs !== undefined && !parts.rights[endpoint.needs]) {
        throw new EngineError("not-writable", WAYS[endpoint.needs]);
      }
      const asked = {
        query: endpoint.query === undefined ? undefined : checked(endpoint.query, queryOf(context), "query"),
        body: endpoint.body === undefined ? undefined : checked(endpoint.body, await bodyOf(context), "body"),
        id: (part: string) => context.req.param(part) ?? "",
        signal: AbortSignal.any([context.req.raw.signal, parts.stopping]),
      };
      const answer = async (signal: AbortSignal): Promise<Body> => {
        const given = await (handlers[name] as (asked: unknown) => Promise<unknown>)({ ...asked, signal });
        return await written(context, endpoint.answer.parse(given));
      };
      if (endpoint.method === "get") {
        const key = `${encodingOf(context.req.header("accept-encoding")) ?? ""} ${context.req.url}`;
        return asJson(await shared.ask(key, asked.signal, answer));
      }
      shared.part();
      try {
        return asJson(await answer(asked.signal));
      } finally {
        shared.part();
      }
    });
  }
  app.get(honoPath(streams.runEvents.path), (context) =>
    eventStream(
      partOnEvent(parts.streams.runEvents(context.req.param("run") ?? "", context.req.header("last-event-id"))),
      AbortSignal.any([context.req.raw.signal, parts.stopping]),
    ),
  );
  app.get(streams.storeEvents.path, (context) =>
    eventStream(partOnEvent(parts.streams.storeEvents()), AbortSignal.any([context.req.raw.signal, parts.stopping])),
  );
  const description = openApi(version);
  app.get("/api/openapi.json", (context) => json(context, description));
  app.all("/api/*", (context) => {
    throw new EngineError("not-found", `There is no ${context.req.method} ${context.req.path}; see /api/openapi.json.`);
  });
  app.get("*", (context) => asset(context, parts.assets));
  app.onError(async (error, context) => await problem(context, error));
  app.notFound((context) => problem(context, new EngineError("not-found", `There is nothing at ${context.req.path}.`)));
  return app;
}

/** The opened address carries the token once; from then on a cookie does, and the address bar and history are clean. */
function enter(context: Context, guard: Guard, given: string): Response {
  const address = new URL(context.req.url);
  address.searchParams.delete("token");
  return new Response(null, {
    status: 303,
    headers: {
      ...SECURITY_HEADERS,
      location: `${address.pathname}${address.search}`,
      "set-cookie": `${guard.cookie()}=${given}; HttpOnly; SameSite=Strict; Path=/`,
      "cache-control": "no-store",
    },
  });
}

function askedBy(context: Context): AskedBy {
  return { method: context.req.method, header: (name) => context.req.header(name) };
}

function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

function queryOf(context: Context): Record<string, string | string[]> {
  const given = Object.entries(context.req.queries());
  return Object.fromEntries(given.map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]));
}

async function bodyOf(context: Context): Promise<unknown> {
  // Forms of other pages can send text but not this type.
  if (!/^application\/json\b/i.test(context.req.header("content-type") ?? "")) {
    throw new EngineError("wrong-media", "Send the body as application/json.");
  }
  const bytes = await readBytes(context.req.raw.body as AsyncIterable<Uint8Array> | null, MOST_BODY_BYTES);
  if (bytes === undefined) throw new EngineError("too-large", "The body is larger than 1 MiB.");
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    throw new EngineError("bad-request", "The body is not JSON.");
  }
}

function checked(schema: z.ZodType, value: unknown, what: string): unknown {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new EngineError("bad-request", `The ${what} is wrong. ${z.prettifyError(read.error)}`);
}

async function json(context: Context, value: unknown, status = 200): Promise<Response> {
  return asJson(await written(context, value), status);
}

async function written(context: Context, value: unknown): Promise<Body> {
  return await compressBody(Buffer.from(JSON.stringify(value)), encodingOf(context.req.header("accept-encoding")));
}

function asJson({ bytes, encoding }: Body, status = 200): Response {
  return new Response(bytes, {
    status,
    headers: {
      ...SECURITY_HEADERS,
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      vary: "accept-encoding",
      ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    },
  });
}

async function asset(context: Context, assets: Assets | undefined): Promise<Response> {
  if (assets === undefined) {
    throw new EngineError(
      "not-found",
      'The studio\'s pages are not built here; run "npm run build" in the source tree.',
    );
  }
  const found = await assets.read(context.req.path, context.req.header("accept-encoding"));
  if (found === undefined) throw new EngineError("not-found", `There is nothing at ${context.req.path}.`);
  const { type, cache, body } = found;
  return new Response(body.bytes, {
    headers: {
      ...SECURITY_HEADERS,
      "content-type": type,
      "cache-control": cache,
      vary: "accept-encoding",
      ...(body.encoding === undefined ? {} : { "content-encoding": body.encoding }),
    },
  });
}

/** A sentence for a page opened in a browser; JSON for everything else. */
async function problem(context: Context, error: unknown): Promise<Response> {
  const { status, body } = problemOf(error);
  if (context.req.path.startsWith("/api/") || !(context.req.header("accept") ?? "").includes("text/html")) {
    return await json(context, body, status);
  }
  if (body.error.code === "unauthorised") return noTokenPage(status);
  return new Response(`${body.error.message}\n`, {
    status,
    headers: { ...SECURITY_HEADERS, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
}

// Errors as answers: a status for the browser, a code for programs, a sentence for people.

const STATUS = {
  "bad-request": 400,
  "bad-run-id": 400,
  "bad-sql": 400,
  "bad-host": 403,
  "bad-origin": 403,
  "command-refused": 403,
  "address-refused": 403,
  "read-only": 403,
  "not-writable": 403,
  unauthorised: 401,
  "not-found": 404,
  "no-run": 404,
  "no-trajectory": 404,
  "no-group": 404,
  "no-skill": 404,
  "no-library": 404,
  "no-arena": 404,
  "no-game": 404,
  "no-model": 404,
  "unknown-name": 404,
  "too-slow": 408,
  "native-part-missing": 501,
  "episode-ended": 409,
  quarantined: 409,
  "needs-yes": 409,
  "labels-changed": 409,
  "library-busy": 409,
  "wrong-media": 415,
  "too-large": 413,
  // A stored episode whose world has changed since.
  "bad-task": 422,
  "too-many": 429,
  "redis-away": 503,
} as const satisfies Partial<Record<EngineErrorCode, number>>;

/** What is asked for in a wrong way is the request's fault; what is wrong with the store is not, and the page shows the message. */
function statusOf(code: string): number {
  if (Object.hasOwn(STATUS, code)) return STATUS[code as keyof typeof STATUS];
  return exitClassOf(code) === "usage" ? 400 : 500;
}

function problemOf(error: unknown): { readonly status: number; readonly body: ApiError } {
  if (isAbort(error)) {
    const body = { error: { code: "cancelled", message: "The request was given up before it was answered." } };
    return { status: 499, body };
  }
  const { code, message, details } = errorData(error);
  const shown =
    details === undefined ? {} : { details: JSON.parse(JSON.stringify(details)) as Record<string, unknown> };
  return { status: statusOf(code), body: { error: { code, message, ...shown } } };
}

// The OpenAPI 3.1 description, made from the same schemas that check every request and answer.

type JsonSchema = Record<string, unknown>;

function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  // References inside one schema would point at the wrong root, so everything stands where it is used.
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    reused: "inline",
    unrepresentable: "any",
  }) as JsonSchema;
  return rest;
}

function openApi(version: string): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(name, endpoint) };
  }
  const messages = { runEvents, storeEvents };
  for (const [name, { path, summary }] of Object.entries(streams)) {
    paths[path] = { ...paths[path], get: stream(name, path, summary, messages[name as keyof typeof messages]) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Limbeck studio", version, description: "Read-only unless the server was started with --write." },
    security: [{ cookie: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "limbeck-studio-PORT" },
      },
      schemas: { Error: schemaOf(apiError, "output") },
    },
  };
}

function operation(name: string, { path, summary, query, body, answer, needs }: Endpoint): JsonSchema {
  const text = needs === undefined ? summary : `${summary} Needs --${needs}.`;
  return {
    operationId: name,
    summary: text,
    parameters: [...pathParameters(path), ...(query === undefined ? [] : queryParameters(query))],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: schemaOf(body, "input") } } } }),
    responses: {
      "200": { description: "The answer.", content: { "application/json": { schema: schemaOf(answer, "output") } } },
      default: {
        description: "What went wrong.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

function stream(
  name: string,
  path: string,
  summary: string,
  messages: Readonly<Record<string, z.ZodType>>,
): JsonSchema {
  const described = Object.entries(messages).map(([event, schema]) => [event, schemaOf(schema, "output")]);
  return {
    operationId: name,
    summary,
    parameters: pathParameters(path),
    responses: {
      "200": {
        description: `Server-sent events: ${Object.keys(messages).join(", ")}. x-events has the data of each.`,
        content: { "text/event-stream": { schema: { type: "string" } } },
        "x-events": Object.fromEntries(described) as JsonSchema,
      },
    },
  };
}

function pathParameters(path: string): JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodType): JsonSchema[] {
  const { properties = {}, required = [] } = schemaOf(query, "input") as {
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

// The same question that several ask at once is answered once: all pages of a run that is being trained ask for
// the same, again and again. An answer that is there may be kept for a moment, so that many clients that poll
// cost what one does. A change made through this server, or that one of its streams reports, parts the requests
// before it from those after it.

interface SharedAnswers<Value> {
  /** `compute` is aborted when no request waits any more. */
  ask(key: string, signal: AbortSignal, compute: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
  /** A request from now on is answered anew. */
  part(): void;
}

interface SharingOptions {
  /** How long an answer serves others after it was made. Default: 0, it does not. */
  readonly keepMs?: number | undefined;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
}

interface Pending<Value> {
  readonly answer: Promise<Value>;
  readonly stop: AbortController;
  waiting: number;
  /** Until when it is given to others, once it is there. */
  until: number | undefined;
}

export function createSharedAnswers<Value>({
  keepMs = 0,
  now = () => performance.now(),
}: SharingOptions = {}): SharedAnswers<Value> {
  const pending = new Map<string, Pending<Value>>();

  const sweep = (): void => {
    const time = now();
    for (const [key, { until }] of pending) if (until !== undefined && until <= time) pending.delete(key);
  };

  const begin = (key: string, compute: (signal: AbortSignal) => Promise<Value>): Pending<Value> => {
    const stop = new AbortController();
    const one: Pending<Value> = { answer: compute(stop.signal), stop, waiting: 0, until: undefined };
    pending.set(key, one);
    const over = (): void => {
      if (pending.get(key) === one) pending.delete(key);
    };
    one.answer.then(() => {
      if (keepMs > 0) one.until = now() + keepMs;
      else over();
    }, over);
    return one;
  };

  return {
    ask: async (key, signal, compute) => {
      sweep();
      const one = pending.get(key) ?? begin(key, compute);
      one.waiting += 1;
      const leave = (): void => {
        one.waiting -= 1;
        if (one.waiting > 0 || one.until !== undefined) return;
        if (pending.get(key) === one) pending.delete(key);
        one.stop.abort(signal.reason);
      };
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
      try {
        return await one.answer;
      } finally {
        signal.removeEventListener("abort", leave);
        if (one.until !== undefined) one.waiting -= 1;
      }
    },
    part: () => pending.clear(),
  };
}
