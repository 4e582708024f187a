/** The trainer as a server: HTTP in front of the local policy, in the Tinker protocol. */
import * as wire from "limbeck-base/base/protobuf";
import { checkOptions, may } from "limbeck-base/base/options";
import { Recent } from "limbeck-base/base/recent";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { EngineError } from "limbeck-base/base/errors";
import { parseJson } from "limbeck-base/base/json";
import { accessOf, type ServerAccess } from "limbeck-base/base/access";
import { createGuardedServer, type Refusal } from "limbeck-base/base/guarded-server";
import { closeServer, isLoopback, listenAt } from "limbeck-base/base/listen";
import { metric, type Metric } from "limbeck-base/base/prometheus";
import { readBytes } from "limbeck-base/base/http";
import type { Futures } from "./futures.ts";
import { HttpFailure } from "./http-failure.ts";
import { TRAINER_ROUTES } from "./roles.ts";
import { createRouter, type RouteMatch, type Reply } from "./router.ts";
import { samplingRoutes } from "./speak.ts";
import { serviceRoutes } from "./routes/service.ts";
import { trainingRoutes, weightsRoutes } from "./routes/training.ts";
import { openWorkshop, type Workshop, type WorkshopOptions } from "./workshop.ts";

export interface TrainerOptions extends WorkshopOptions, ServerAccess {
  /** Default: 127.0.0.1, this machine only. Any other address needs a key. */
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
  /** Clients send it as X-API-Key. Default: none is asked for. */
  readonly apiKey?: string;
  readonly version?: string;
  /** How long a question for a result waits before it is answered "not yet". Default: 60 s. */
  readonly pollMs?: number;
  readonly onProblem?: (message: string) => void;
}

export const TRAINER_CHECKS = {
  port: may.port,
  pollMs: may.amount,
  maxModels: may.count,
  maxQueue: may.count,
  maxRank: may.count,
  sessionTimeoutMs: may.positive,
  keepTokens: may.whole,
} as const;

export interface Trainer {
  readonly url: string;
  readonly port: number;
  readonly baseModel: string;
  close(): Promise<void>;
}

const POLL_MS = 60_000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Answers that are kept for requests whose answer was lost on the way. */
const KEPT_ANSWERS = 2_048;
/** Serves a model for training and sampling until it is closed. */
export async function startTrainer(options: TrainerOptions): Promise<Trainer> {
  checkOptions("startTrainer", options, TRAINER_CHECKS);
  const { host = "127.0.0.1", port = 0, apiKey, pollMs = POLL_MS, version = "0" } = options;
  if (!isLoopback(host) && (apiKey ?? "") === "" && options.tokens === undefined) {
    throw new EngineError(
      "needs-key",
      `A trainer on ${host} can be reached from other machines; give it a key (LIMBECK_TRAINER_KEY) or tokens (--tokens FILE), or stay on 127.0.0.1.`,
    );
  }
  const workshop = await openWorkshop(options);
  const find = createRouter({
    ...serviceRoutes(workshop, { version, pollMs }),
    ...trainingRoutes(workshop),
    ...weightsRoutes(workshop),
    ...samplingRoutes(workshop),
  });
  const handle = createHandler(find, workshop.futures, options);
  const guard = {
    name: "trainer",
    host,
    ...accessOf(options),
    secret: apiKey,
    routes: TRAINER_ROUTES,
    unknown: "The API key is missing or wrong; send it as X-API-Key.",
    mostBytes: MAX_BODY_BYTES,
    refuse: (response: ServerResponse, { status, message }: Refusal): void => {
      void send(response, { status, json: { detail: message } });
    },
    numbers: () => numbersOf(workshop),
  };
  let server: Server;
  try {
    server = createGuardedServer(guard, handle);
  } catch (error) {
    await workshop.close();
    throw error;
  }
  const listening = await listenAt(server, { host, port }, "The trainer").catch(async (error: unknown) => {
    await workshop.close();
    throw error;
  });
  return {
    ...listening,
    baseModel: workshop.baseName,
    close: async () => {
      await closeServer(server);
      await workshop.close();
    },
  };
}

function numbersOf({ runs, samplers, futures }: Workshop): readonly Metric[] {
  return [
    metric("gauge", "limbeck_trainer_models", "Models that learn.", runs.size),
    metric("gauge", "limbeck_trainer_samplers", "Sampling sessions.", samplers.size),
    metric("gauge", "limbeck_trainer_queue", "Work that was handed in and is not done.", futures.pending()),
    metric("counter", "limbeck_trainer_work_total", "Work that was handed in.", futures.begun()),
  ];
}

type Find = (method: string, path: string) => RouteMatch;

function createHandler(
  find: Find,
  futures: Futures,
  { onProblem, pollMs = POLL_MS }: TrainerOptions,
): (q: IncomingMessage, s: ServerResponse) => void {
  // A refusal is not kept: what was too early may be right the next time.
  const answers = new Recent<Reply>(KEPT_ANSWERS);

  const respond = async (request: IncomingMessage): Promise<Reply> => {
    const { method = "GET", headers } = request;
    const url = new URL(request.url ?? "/", "http://trainer");
    const sent = method === "POST" ? await readBody(request, url.pathname) : undefined;
    const { handler, params } = find(method, sent?.path ?? url.pathname);
    const body = sent?.body;
    const work = async (): Promise<Reply> => await handler({ params, query: url.searchParams, body });
    const key = headers["x-idempotency-key"];
    // Waiting for a result changes nothing, and its answer differs from time to time.
    if (typeof key !== "string" || url.pathname.endsWith("/retrieve_future")) return await work();
    return await answers.get(`${url.pathname} ${key}`, work);
  };

  /** With the result, where the client asked to wait for it and it comes in time. A failure is left to the question for it. */
  const withResult = async (reply: Reply, headers: IncomingMessage["headers"]): Promise<Reply> => {
    const seconds = Number(headers["x-limbeck-wait"]);
    const { json } = reply;
    if (!(seconds > 0) || json === undefined || !("request_id" in json)) return reply;
    const waiting = futures.wait(String(json.request_id), Math.min(seconds * 1_000, pollMs));
    // Nothing in time, or a failure: the next request for the result finds out.
    const result = await waiting.catch(() => undefined);
    return result === undefined ? reply : { ...reply, json: { ...json, limbeck: { result } } };
  };

  return (request, response) => {
    void respond(request)
      .then((reply) => withResult(reply, request.headers))
      .then((reply) => asAccepted(reply, request))
      .catch((error: unknown) => refusalOf(error, onProblem))
      .then((reply) => send(response, reply))
      .catch(() => response.destroy());
  };
}

async function send(response: ServerResponse, reply: Reply): Promise<void> {
  const { status = 200, json, protobuf, stream, headers = {} } = reply;
  if (protobuf !== undefined) {
    response.writeHead(status, { "content-type": PROTOBUF, "content-length": protobuf.length, ...headers });
    response.end(protobuf);
    return;
  }
  if (stream !== undefined) {
    response.writeHead(status, headers);
    await pipeline(stream, response);
    return;
  }
  const text = json === undefined ? "" : JSON.stringify(json);
  response.writeHead(status, {
    ...(json === undefined ? {} : { "content-type": "application/json" }),
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

function refusalOf(error: unknown, onProblem: ((message: string) => void) | undefined): Reply {
  if (error instanceof HttpFailure) {
    const rest = error.status === 429 ? { headers: { "retry-after": "1" } } : {};
    return { status: error.status, json: { detail: error.detail }, ...rest };
  }
  if (error instanceof EngineError) return { status: 400, json: { detail: error.message } };
  onProblem?.(`A request failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return { status: 500, json: { detail: "Internal Server Error" } };
}

/** Results of passes and samples as protocol buffers, where the client takes them. */
function asAccepted(reply: Reply, { url = "", headers }: IncomingMessage): Reply {
  const { json } = reply;
  const isAsked =
    url.split("?")[0]?.endsWith("/retrieve_future") === true && headers.accept?.includes(PROTOBUF) === true;
  const protobuf = isAsked && json !== undefined && (reply.status ?? 200) === 200 ? writeResult(json) : undefined;
  return protobuf === undefined ? reply : { ...reply, protobuf };
}

interface Sent {
  readonly path: string;
  readonly body: unknown;
}

/** The body, and the path that it is for: official clients send a forward pass as a message to forward_backward. */
async function readBody(request: IncomingMessage, path: string): Promise<Sent> {
  const type = request.headers["content-type"] ?? "";
  const isMessage = path === "/api/v1/forward_backward" && type.toLowerCase().startsWith(PROTOBUF);
  // A page in a browser cannot send these types to another address without being asked first.
  if (!isMessage && !/^application\/json\b/i.test(type)) {
    throw new HttpFailure(415, `"${type.slice(0, 60)}" is not served here; send application/json.`);
  }
  if (request.headers["content-encoding"] !== undefined) {
    throw new HttpFailure(415, "Packed bodies are not served here; send it as it is.");
  }
  const bytes = await readBytes(request, MAX_BODY_BYTES);
  if (bytes === undefined) {
    throw new HttpFailure(413, `The body is larger than ${MAX_BODY_BYTES} bytes; send less at once.`);
  }
  if (isMessage) {
    const pass = readPass(bytes);
    return { path: `/api/v1/${pass.path}`, body: pass.body };
  }
  const body = parseJson(bytes.toString());
  if (body !== undefined) return { path, body };
  throw new HttpFailure(422, [{ type: "json_invalid", loc: ["body"], msg: "The body is not JSON." }]);
}

// The messages that official clients from 0.25 on send and read as protocol buffers, to and from the JSON form
// that the rest of the server speaks. Numbers of fields are facts of the package `tinker_public`. Arrays are
// little-endian bytes.

const PROTOBUF = "application/x-protobuf";

const TYPES = { float32: 1, int64: 2, int32: 3 } as const;

interface PassMessage {
  readonly path: "forward" | "forward_backward";
  readonly body: object;
}

function readMessage(bytes: Uint8Array): wire.Fields {
  return wire.readMessage(bytes, () => new HttpFailure(422, "The protobuf body is damaged."));
}

/** ForwardBackwardRequest. A forward pass is the same message with a flag. */
export function readPass(bytes: Uint8Array): PassMessage {
  const fields = readMessage(bytes);
  const path = wire.numberOf(fields, 6) === 0 ? "forward_backward" : "forward";
  const config = wire.entriesOf(fields, 5, readMessage).map(([name, entry]) => [name, wire.doubleOf(entry, 2)]);
  const input = {
    data: wire.bytesOf(fields, 3).map((datum) => readDatum(readMessage(datum))),
    loss_fn: wire.textOf(fields, 4),
    ...(config.length === 0 ? {} : { loss_fn_config: Object.fromEntries(config) as object }),
  };
  const seq_id = wire.numberOf(fields, 2);
  return { path, body: { model_id: wire.textOf(fields, 1), seq_id, [`${path}_input`]: input } };
}

function readDatum(fields: wire.Fields): object {
  const chunks = wire.bytesOf(fields, 1).map((bytes) => {
    const chunk = readMessage(bytes);
    const [text] = wire.bytesOf(chunk, 1);
    if (text === undefined) throw new HttpFailure(422, "Only encoded text is served here; a chunk is something else.");
    const [tokens = new Uint8Array()] = wire.bytesOf(readMessage(text), 1);
    return { type: "encoded_text", tokens: readArray(tokens, TYPES.int32) };
  });
  const inputs = wire.entriesOf(fields, 2, readMessage).map(([name, entry]) => {
    const [tensor = new Uint8Array()] = wire.bytesOf(entry, 2);
    return [name, readTensor(name, readMessage(tensor))];
  });
  return { model_input: { chunks }, loss_fn_inputs: Object.fromEntries(inputs) as object };
}

function readTensor(name: string, fields: wire.Fields): object {
  const [dense] = wire.bytesOf(fields, 1);
  const shape = wire.numbersOf(fields, 4);
  if (dense === undefined && wire.bytesOf(fields, 2).length > 0) {
    throw new HttpFailure(422, `Sparse tensors are not served here; send ${name} dense.`);
  }
  if (shape.length > 1)
    throw new HttpFailure(422, `${name} has ${shape.length} sides; only plain lists are served here.`);
  return { data: readArray(dense ?? new Uint8Array(), wire.numberOf(fields, 3)) };
}

function readArray(bytes: Uint8Array, type: number): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = type === TYPES.int64 ? 8 : 4;
  if (!Object.values<number>(TYPES).includes(type) || bytes.byteLength % size !== 0) {
    throw new HttpFailure(422, `An array of type ${type} with ${bytes.byteLength} bytes cannot be read.`);
  }
  return Array.from({ length: bytes.byteLength / size }, (_, at) =>
    type === TYPES.int64
      ? Number(view.getBigInt64(at * size, true))
      : type === TYPES.int32
        ? view.getInt32(at * size, true)
        : view.getFloat32(at * size, true),
  );
}

interface SampleJson {
  readonly sequences: readonly {
    readonly stop_reason: string;
    readonly tokens: readonly number[];
    readonly logprobs: readonly number[];
  }[];
  readonly prompt_logprobs: readonly (number | null)[] | null;
  readonly topk_prompt_logprobs: readonly (readonly (readonly [number, number])[] | null)[] | null;
}

interface PassJson {
  readonly loss_fn_output_type: string;
  readonly loss_fn_outputs: readonly Readonly<Record<string, { readonly data: readonly number[] }>>[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** The result as a message, where it has one; other results are JSON for every client. */
export function writeResult(result: object): Uint8Array | undefined {
  if ("sequences" in result) return writeSample(result as SampleJson);
  return "loss_fn_outputs" in result ? writePass(result as PassJson) : undefined;
}

function writeSample({ sequences, prompt_logprobs, topk_prompt_logprobs }: SampleJson): Uint8Array {
  return wire.message(
    ...sequences.map(({ stop_reason, tokens, logprobs }) =>
      wire.bytes(
        1,
        wire.message(
          ...(stop_reason === "stop" ? [] : [wire.integer(1, 1)]),
          wire.bytes(2, int32(tokens)),
          wire.bytes(3, float32(logprobs)),
        ),
      ),
    ),
    // Nothing predicts the first token: NaN.
    ...(prompt_logprobs === null ? [] : [wire.bytes(2, float32(prompt_logprobs.map((value) => value ?? Number.NaN)))]),
    ...(topk_prompt_logprobs === null ? [] : [wire.bytes(3, writeTop(topk_prompt_logprobs))]),
  );
}

/** An empty place is the token 0 with this in the place of its log-probability. */
const NOTHING = -99_999;

function writeTop(top: NonNullable<SampleJson["topk_prompt_logprobs"]>): Uint8Array {
  const count = Math.max(0, ...top.map((place) => place?.length ?? 0));
  const all = top.flatMap((place) => Array.from({ length: count }, (_, at) => place?.[at] ?? ([0, NOTHING] as const)));
  return wire.message(
    wire.bytes(1, int32(all.map(([id]) => id))),
    wire.bytes(2, float32(all.map(([, logprob]) => logprob))),
    wire.integer(3, count),
    wire.integer(4, top.length),
  );
}

/** One record for all datums: every field as one array, with the offsets at which each datum begins. */
function writePass({ loss_fn_output_type, loss_fn_outputs, metrics }: PassJson): Uint8Array {
  const names = Object.keys(loss_fn_outputs[0] ?? {});
  const fields = names.map((name) => {
    const parts = loss_fn_outputs.map((output) => output[name]?.data ?? []);
    const offsets = [0n];
    for (const part of parts) offsets.push((offsets.at(-1) as bigint) + BigInt(part.length * 4));
    const tensor = wire.message(
      wire.bytes(1, float32(parts.flat())),
      wire.bytes(2, new Uint8Array(BigInt64Array.from(offsets).buffer)),
      wire.integer(3, TYPES.float32),
    );
    return wire.bytes(2, wire.message(wire.bytes(1, name), wire.bytes(2, tensor)));
  });
  const record = wire.message(wire.bytes(1, "ArrayRecord"), ...fields, wire.integer(3, loss_fn_outputs.length));
  return wire.message(
    wire.bytes(1, loss_fn_output_type),
    wire.bytes(2, record),
    ...Object.entries(metrics).map(([name, value]) =>
      wire.bytes(3, wire.message(wire.bytes(1, name), wire.double(2, value))),
    ),
  );
}

function int32(values: readonly number[]): Uint8Array {
  return new Uint8Array(Int32Array.from(values).buffer);
}

function float32(values: readonly number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(values).buffer);
}
