/** One of two values per element, by a condition. Each side receives the gradient where it was chosen. */
import { over } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { broadcast, floats } from "../shapes.ts";
import { scalar } from "../tensor.ts";

export const where: Operator = {
  infer: ([condition, yes, no]) => {
    if (condition?.dtype !== "bool") return "the condition must be bool";
    if (yes === undefined || no === undefined || yes.dtype !== no.dtype) return "both values must have one type";
    const both = broadcast(yes.shape, no.shape);
    const shape = typeof both === "string" ? both : broadcast(condition.shape, both);
    return typeof shape === "string" ? shape : [{ shape, dtype: yes.dtype }];
  },
  onnx: () => ({ type: "Where" }),
  gradient: over(({ inputs: [condition, yes, no], change, ops }) => {
    const zero = scalar(0);
    return [
      undefined,
      ops.sumTo(ops.where(condition, change, zero), yes.shape),
      ops.sumTo(ops.where(condition, zero, change), no.shape),
    ];
  }),
  cases: [{ inputs: [{ shape: [2, 3], dtype: "bool" }, ...floats([2, 3], [])] }],
};
