/**
 * The messages that official clients from 0.25 on send and read as protocol buffers, to and from the JSON form that the
 * rest of the server speaks. Numbers of fields are facts of the package `tinker_public`. Arrays are little-endian bytes.
 */
import * as wire from "../base/protobuf.ts";
import { HttpFailure } from "./http-failure.ts";

export const PROTOBUF = "application/x-protobuf";

const TYPES = { float32: 1, int64: 2, int32: 3 } as const;

export interface PassMessage {
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
          ...(stop_reason === "stop" ? [] : [wire.whole(1, 1)]),
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
    wire.whole(3, count),
    wire.whole(4, top.length),
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
      wire.whole(3, TYPES.float32),
    );
    return wire.bytes(2, wire.message(wire.bytes(1, name), wire.bytes(2, tensor)));
  });
  const record = wire.message(wire.bytes(1, "ArrayRecord"), ...fields, wire.whole(3, loss_fn_outputs.length));
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
