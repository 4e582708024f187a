/** The same values in another type. Only float32 carries a gradient, so a cast between types ends it. */
import type { Operator } from "../operator.ts";
import { indices } from "../shapes.ts";
import { ONNX_TYPE } from "../tensor.ts";

export const cast: Operator = {
  infer: ([value], attributes) => {
    const dtype = attributes["to"];
    if (value === undefined) return "there is no value";
    if (dtype !== "float32" && dtype !== "float16" && dtype !== "int64" && dtype !== "bool")
      return `"${String(dtype)}" is not a type`;
    return [{ shape: value.shape, dtype }];
  },
  onnx: ({ outputs }) => ({ type: "Cast", attributes: { to: ONNX_TYPE[outputs[0]?.dtype ?? "float32"] } }),
  cases: [{ inputs: indices([2, 3], 5), attributes: { to: "float32" } }],
};
