import { expect, test } from "vitest";
import { ops } from "./build.ts";
import { nodesOf } from "./order.ts";
import { printGraph } from "./print.ts";
import { simplify } from "./onnx.ts";
import { input, scalar, type Tensor } from "./tensor.ts";

test("equal nodes become one, across constants and inputs of one name, and dead ones are gone", () => {
  const build = (): Tensor => ops.mul(ops.exp(input("x", "float32", [2])), scalar(2));
  const [sum] = simplify([ops.add(build(), build())]) as [Tensor];
  // input, exp, constant, mul, add: five nodes where nine were built.
  expect(nodesOf([sum]).map((node) => node.operator)).toEqual(["input", "exp", "constant", "mul", "add"]);
  expect(sum.node.inputs[0]?.node).toBe(sum.node.inputs[1]?.node);
});

test("different attributes, different outputs of one node and different types stay apart", () => {
  const x = input("x", "float32", [2, 2]);
  const [left, right] = ops.split(x, [1, 1], 1) as [Tensor, Tensor];
  const kept = simplify([ops.sub(left, right), ops.reduceSum(x, [0]), ops.reduceSum(x, [1])]);
  expect(nodesOf(kept).map((node) => node.operator)).toEqual(["input", "split", "sub", "reduceSum", "reduceSum"]);
  expect(kept[0]?.node.inputs.map((tensor) => tensor.index)).toEqual([0, 1]);
});

test("a chain of 50,000 nodes does not overflow the stack", () => {
  let value = input("x", "float32", [1]);
  for (let link = 0; link < 50_000; link += 1) value = ops.neg(value);
  expect(nodesOf(simplify([value]))).toHaveLength(50_001);
});

test("a graph prints one line a node", () => {
  const x = input("x", "float32", [2, 3]);
  expect(printGraph({ mean: ops.reduceMean(ops.mul(x, scalar(2)), [1]) })).toBe(
    [
      "x: float32[2, 3] = input",
      "%1: float32[] = constant 2",
      "%2: float32[2, 3] = mul(x, %1)",
      "%3: float32[2, 1] = reduceMean(%2, axes=[1])",
      "return mean = %3",
    ].join("\n"),
  );
});
