import { expect, test, vi } from "vitest";
import { ops } from "./build.ts";
import { createMessage } from "limbeck-base/base/protobuf";
import { compile } from "./program.ts";
import { loadOnnxRuntime } from "./runtime.ts";
import { constant, input, integers, scalar, type Tensor } from "./tensor.ts";

test("runs, and gives an input or one tensor under two names back as outputs", async () => {
  const x = input("x", "float32", [2]);
  const twice = ops.add(x, x);
  const program = await compile({ x2: x, a: twice, b: twice, whole: integers([4, 5]) }, { threads: 1 });
  const results = await program.run({ x: Float32Array.of(1, 2) });
  expect([...(results["x2"] ?? [])]).toEqual([1, 2]);
  expect([...(results["a"] ?? [])]).toEqual([2, 4]);
  expect([...(results["b"] ?? [])]).toEqual([2, 4]);
  expect([...(results["whole"] ?? [])]).toEqual([4n, 5n]);
  await program.close();
});

test("a caller's own options make no other session: one that was handed back serves them too", async () => {
  const own = (seed: number) => ({ threads: 1, seed });
  const y = ops.mul(input("x", "float32", [3]), scalar(0.4375));
  await (await compile({ y }, own(1))).close();
  const create = vi.spyOn((await loadOnnxRuntime()).InferenceSession, "create");
  const program = await compile({ y }, own(2));
  expect(create).not.toHaveBeenCalled();
  expect([...((await program.run({ x: Float32Array.of(0, 16, 32) }))["y"] ?? [])]).toEqual([0, 7, 14]);
  await program.close();
});

test("feeds are checked before a run: missing, of another type, of another size", async () => {
  const program = await compile({ y: ops.neg(input("x", "float32", [2, 2])) });
  await expect(program.run({})).rejects.toThrow('Input "x" (float32[2, 2]) was not given.');
  await expect(program.run({ x: Uint8Array.of(1) })).rejects.toThrow("takes a Float32Array; got a Uint8Array");
  await expect(program.run({ x: Float32Array.of(1) })).rejects.toThrow("takes 4 values; got 1");
  await program.close();
});

test("an unknown provider is an error that names it", async () => {
  await expect(compile({ y: ops.neg(input("x", "float32", [1])) }, { providers: ["abacus"] })).rejects.toThrow(
    /abacus/,
  );
});

test("shapes are checked while building, and the error names operator and shapes", () => {
  const left = input("a", "float32", [2, 3]);
  expect(() => ops.matmul(left, input("b", "float32", [4, 5]))).toThrow(
    "matmul(float32[2, 3], float32[4, 5]): the left side has 3 columns, the right side 4 rows.",
  );
  expect(() => ops.add(left, integers([1]))).toThrow("add(float32[2, 3], int64[1]): both sides must be float32.");
  expect(() => ops.reshape(left, [5])).toThrow("6 elements do not fill the shape [5]");
  expect(() => ops.softmax(left, 2)).toThrow("axis 2 is not one of 0 to 1");
  expect(() => constant(Float32Array.of(1, 2), [3])).toThrow("2 values do not fill the shape [3]");
  expect(() => input("c", "float32", [-1])).toThrow('input "c": the shape [-1]');
});

test("protocol-buffer fields by hand", () => {
  const message = createMessage();
  message.integer(1, 300);
  message.bytes(2, "hi");
  message.float(3, 1);
  message.integer(4, -1);
  // 300 = 0b10_0101100: low seven bits 0x2c with the continuation bit 0xac, then 2. 1.0 is 0x3f800000, little-endian.
  // -1 is ten bytes of two's complement.
  expect([...message.finish()]).toEqual([
    0x08,
    0xac,
    0x02,
    0x12,
    2,
    0x68,
    0x69,
    0x1d,
    0,
    0,
    0x80,
    0x3f,
    0x20,
    ...Array.from({ length: 9 }, () => 255),
    1,
  ]);
});

test("fused operators agree with plain ones", async () => {
  const x = input("x", "float32", [3, 4]);
  const scale = input("scale", "float32", [4]);
  const square = ops.reduceMean(ops.mul(x, x), [1]);
  const plainNorm = ops.mul(ops.mul(x, ops.reciprocal(ops.sqrt(ops.add(square, scalar(0.01))))), scale);
  // One head of four at positions 2, 0 and 1; the tables are looked up by hand.
  const tables = {
    cosine: constant(Float32Array.of(1, 1, 0.5, 0.9, -0.4, 0.6), [3, 2]),
    sine: constant(Float32Array.of(0, 0, 0.8, 0.4, 0.9, 0.7), [3, 2]),
  };
  const [cosine, sine] = [tables.cosine, tables.sine].map((table) => ops.gather(table, integers([2, 0, 1]))) as [
    Tensor,
    Tensor,
  ];
  const [first, second] = ops.split(x, [2, 2], 1) as [Tensor, Tensor];
  const outputs = {
    fusedRotary: ops.reshape(
      ops.rotary(ops.reshape(x, [3, 1, 4]), integers([2, 0, 1], [3, 1]), tables.cosine, tables.sine),
      [3, 4],
    ),
    plainRotary: ops.concat(
      [ops.sub(ops.mul(first, cosine), ops.mul(second, sine)), ops.add(ops.mul(second, cosine), ops.mul(first, sine))],
      1,
    ),
    fusedNorm: ops.rmsNorm(x, scale, 0.01),
    plainNorm,
    fusedSilu: ops.silu(x),
    plainSilu: ops.mul(x, ops.sigmoid(x)),
  };
  const program = await compile(outputs);
  const feeds = {
    x: Float32Array.from({ length: 12 }, (_, at) => Math.sin(at) * 3),
    scale: Float32Array.of(1, -2, 0.5, 3),
  };
  const results = await program.run(feeds);
  await program.close();
  for (const name of ["Norm", "Silu", "Rotary"]) {
    const plain = results[`plain${name}`] as Float32Array;
    (results[`fused${name}`] as Float32Array).forEach((value, at) => expect(value).toBeCloseTo(plain[at] as number, 5));
  }
});

test("results go where they are wanted, also in place", async () => {
  const x = input("x", "float32", [2]);
  const program = await compile({ y: ops.add(x, scalar(1)), z: ops.mul(x, x) }, { threads: 1 });
  const place = Float32Array.of(9, 2, 3, 9);
  const results = await program.run({ x: place.subarray(1, 3) }, { z: place.subarray(1, 3) });
  expect([...place]).toEqual([9, 4, 9, 9]);
  expect([...(results["z"] ?? [])]).toEqual([4, 9]);
  await expect(program.run({ x: place.subarray(1, 3) }, { z: place })).rejects.toThrow(/takes 2 values; got 4/);
  await program.close();
});
