import { expect, test } from "vitest";
import { readPass, writeResult } from "./server.ts";
import * as wire from "limbeck-base/base/protobuf";

const int32 = (...values: number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer);
const float32 = (...values: number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);
const entry = (name: string, value: Uint8Array): Uint8Array => wire.message(wire.bytes(1, name), value);

test("a message is its fields, to the byte", () => {
  // Key 1 << 3 = 8 with varint 150 = 0x96 0x01; key 2 << 3 | 2 = 0x12 with 7 letters: the examples of the format's own page.
  expect([...wire.integer(1, 150)]).toEqual([0x08, 0x96, 0x01]);
  expect([...wire.bytes(2, "testing")]).toEqual([0x12, 7, ...Buffer.from("testing")]);
  const fields = wire.readMessage(wire.message(wire.integer(1, 150), wire.bytes(2, "testing"), wire.integer(1, 7)));
  expect([fields.get(1), wire.numberOf(fields, 1), wire.textOf(fields, 2)]).toEqual([[150n, 7n], 7, "testing"]);
  expect(wire.numbersOf(wire.readMessage(wire.bytes(4, Uint8Array.of(3, 0x96, 0x01))), 4)).toEqual([3, 150]);
});

test.each([[[0x08]], [[0x12, 9, 1]], [[0x0b]], [[0x00, 1]], [Array.from({ length: 12 }, () => 0xff)]])(
  "damaged bytes are refused: %j",
  (bytes) => {
    expect(() => wire.readMessage(Uint8Array.from(bytes))).toThrow("damaged");
  },
);

/** One datum with the targets as int64 and the weights as float32. */
function pass(forwardOnly: boolean, tensor: readonly Uint8Array[] = []): Uint8Array {
  const text = wire.bytes(1, wire.bytes(1, int32(3, 1, 4)));
  const targets = wire.message(wire.bytes(1, new Uint8Array(BigInt64Array.of(1n, 4n, -1n).buffer)), wire.integer(3, 2));
  const weights = wire.message(wire.bytes(1, float32(0, 0.5, 1)), wire.integer(3, 1), ...tensor);
  const datum = wire.message(
    wire.bytes(1, text),
    wire.bytes(2, entry("target_tokens", wire.bytes(2, targets))),
    wire.bytes(2, entry("weights", wire.bytes(2, weights))),
  );
  return wire.message(
    wire.bytes(1, "model_1"),
    wire.integer(2, 7),
    wire.bytes(3, datum),
    wire.bytes(4, "ppo"),
    wire.bytes(5, entry("clip_low_threshold", wire.double(2, 0.8))),
    ...(forwardOnly ? [wire.integer(6, 1)] : []),
  );
}

test("a pass is read as the JSON form has it; a flag makes it a forward pass", () => {
  const input = {
    data: [
      {
        model_input: { chunks: [{ type: "encoded_text", tokens: [3, 1, 4] }] },
        loss_fn_inputs: { target_tokens: { data: [1, 4, -1] }, weights: { data: [0, 0.5, 1] } },
      },
    ],
    loss_fn: "ppo",
    loss_fn_config: { clip_low_threshold: 0.8 },
  };
  const known = { model_id: "model_1", seq_id: 7 };
  expect(readPass(pass(false))).toEqual({
    path: "forward_backward",
    body: { ...known, forward_backward_input: input },
  });
  expect(readPass(pass(true))).toEqual({ path: "forward", body: { ...known, forward_input: input } });
});

test("a tensor with two sides is refused by name", () => {
  expect(() => readPass(pass(false, [wire.integer(4, 3), wire.integer(4, 1)]))).toThrow("weights has 2 sides");
});

test("samples: stop is the first of its kind and left out, a missing log-probability is NaN", () => {
  const bytes = writeResult({
    sequences: [
      { stop_reason: "stop", tokens: [5], logprobs: [-0.5] },
      { stop_reason: "length", tokens: [6], logprobs: [-1] },
    ],
    prompt_logprobs: [null, -2],
    topk_prompt_logprobs: [null, [[9, -0.25]]],
  }) as Uint8Array;
  const sequence = (reason: readonly Uint8Array[], token: number, logprob: number): Uint8Array =>
    wire.bytes(1, wire.message(...reason, wire.bytes(2, int32(token)), wire.bytes(3, float32(logprob))));
  const top = [
    wire.bytes(1, int32(0, 9)),
    wire.bytes(2, float32(-99_999, -0.25)),
    wire.integer(3, 1),
    wire.integer(4, 2),
  ];
  expect([...bytes]).toEqual([
    ...sequence([], 5, -0.5),
    ...sequence([wire.integer(1, 1)], 6, -1),
    ...wire.bytes(2, float32(Number.NaN, -2)),
    ...wire.bytes(3, wire.message(...top)),
  ]);
});

test("a pass's result: one array for all datums, with byte offsets; other results have no message", () => {
  const bytes = writeResult({
    loss_fn_output_type: "scalar",
    loss_fn_outputs: [{ logprobs: { data: [-1, -2] } }, { logprobs: { data: [-3] } }],
    metrics: { "loss:sum": 6 },
  }) as Uint8Array;
  const tensor = wire.message(
    wire.bytes(1, float32(-1, -2, -3)),
    wire.bytes(2, new Uint8Array(BigInt64Array.of(0n, 8n, 12n).buffer)),
    wire.integer(3, 1),
  );
  const fields = wire.readMessage(bytes);
  const record = wire.readMessage(wire.bytesOf(fields, 2)[0] as Uint8Array);
  expect([wire.textOf(fields, 1), wire.numberOf(record, 3)]).toEqual(["scalar", 2]);
  expect([...(wire.bytesOf(record, 2)[0] ?? [])]).toEqual([...entry("logprobs", wire.bytes(2, tensor))]);
  expect(wire.entriesOf(fields, 3).map(([name, own]) => [name, wire.doubleOf(own, 2)])).toEqual([["loss:sum", 6]]);
  expect(writeResult({ type: "load_weights" })).toBeUndefined();
});
