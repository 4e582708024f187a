/** x sigmoid(x), as one fused operator of the runtime. With s = sigmoid x: d(x s) = (s + x s (1 - s)) dx. */
import { overOne } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats, sameFloats } from "../shapes.ts";

export const silu: Operator = {
  infer: sameFloats,
  onnx: () => ({ type: "QuickGelu", domain: "com.microsoft", floatAttributes: { alpha: 1 } }),
  gradient: overOne(({ value, result, change, ops }) => {
    // s + x s - x s^2 = s + y - y s = s (1 - y) + y, with y = x s.
    const gate = ops.sigmoid(value);
    return [ops.mul(change, ops.add(ops.sub(gate, ops.mul(gate, result)), result))];
  }),
  cases: [{ inputs: floats([2, 3]) }],
};
