import { expect, test } from "vitest";
import { ops } from "./build.ts";
import { peakBytes } from "./onnx.ts";
import { nodesOf } from "./order.ts";
import { input } from "./tensor.ts";

test("what is alive at one time: a result is freed after its last use", () => {
  const x = input("x", "float32", [100]);
  const chain = ops.exp(ops.exp(ops.exp(x)));
  // 400 bytes each; while one is made the one before is still there, never three.
  expect(peakBytes(nodesOf([chain]), [chain])).toBe(800);
  const first = ops.exp(x);
  const kept = ops.add(ops.exp(ops.exp(first)), first);
  // The first is needed at the end: it, the one being made and the one it is made from.
  expect(peakBytes(nodesOf([kept]), [kept])).toBe(1200);
});
