/** The same value; no gradient passes. What a formula treats as a constant goes through here. */
import type { Operator } from "../operator.ts";
import { floats } from "../shapes.ts";

export const stopGradient: Operator = {
  infer: ([value]) => (value === undefined ? "there is no value" : [{ shape: value.shape, dtype: value.dtype }]),
  onnx: () => ({ type: "Identity" }),
  gradient: () => [],
  cases: [{ inputs: floats([2, 3]) }],
};
