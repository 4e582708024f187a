import { expect, test } from "vitest";
import { ops } from "./build.ts";
import { joinShapes } from "./onnx.ts";
import { nodesOf } from "./order.ts";
import { compile } from "./program.ts";
import { input, type Tensor } from "./tensor.ts";

const operatorsOf = (outputs: readonly Tensor[]): string[] => nodesOf(outputs).map((node) => node.operator);

test("new shapes in a row become one, and a transposition of axes of length one is a new shape", () => {
  const x = input("x", "float32", [8, 6]);
  const heads = ops.transpose(ops.reshape(x, [8, 1, 2, 3]), [0, 2, 1, 3]);
  const flat = ops.reshape(heads, [16, 1, 3]);
  expect(operatorsOf([heads, flat])).toEqual(["input", "reshape", "transpose", "reshape"]);
  const [kept, last] = joinShapes([heads, flat]) as [Tensor, Tensor];
  expect(operatorsOf([kept, last])).toEqual(["input", "reshape", "reshape"]);
  expect([kept.shape, last.shape]).toEqual([
    [8, 2, 1, 3],
    [16, 1, 3],
  ]);
  // Both from the input itself, not one from the other.
  expect([kept, last].map(({ node }) => node.inputs[0]?.node.operator)).toEqual(["input", "input"]);
});

test("a shape that comes back is the value itself", () => {
  const x = input("x", "float32", [2, 3]);
  const [same] = joinShapes([ops.exp(ops.reshape(ops.reshape(x, [6]), [2, 3]))]) as [Tensor];
  expect(operatorsOf([same])).toEqual(["input", "exp"]);
});

test("what moves numbers stays, and so does what a product takes into itself", () => {
  const x = input("x", "float32", [2, 3, 1]);
  const order = (perm: readonly number[]): string | undefined => joinShapes([ops.transpose(x, perm)])[0]?.node.operator;
  expect(order([1, 0, 2])).toBe("transpose");
  expect(order([0, 2, 1])).toBe("transpose");
});

test("several outputs of one node keep their places", () => {
  const x = input("x", "float32", [2, 3]);
  const parts = ops.split(ops.reshape(ops.reshape(x, [6]), [3, 2]), [1, 1], 1);
  const joined = joinShapes(parts);
  expect(joined.map(({ index }) => index)).toEqual([0, 1]);
  expect(joined[0]?.node).toBe(joined[1]?.node);
  expect(operatorsOf(joined)).toEqual(["input", "reshape", "split"]);
});

test("a compiled graph gives two outputs of one value, an input and a value that others use", async () => {
  const x = input("x", "float32", [2]);
  const twice = ops.add(x, x);
  const program = await compile({ twice, again: twice, same: x, four: ops.add(twice, twice) });
  const results = await program.run({ x: Float32Array.of(1, 2) });
  expect(Object.fromEntries(Object.entries(results).map(([name, values]) => [name, [...values]]))).toEqual({
    twice: [2, 4],
    again: [2, 4],
    same: [1, 2],
    four: [4, 8],
  });
  await program.close();
});
