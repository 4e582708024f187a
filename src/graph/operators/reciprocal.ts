/** Reciprocal. d(1 / x) = -dx / x^2. */
import { unary } from "../frames.ts";

export const reciprocal = unary(
  "Reciprocal",
  ({ change, result, ops }) => ops.neg(ops.mul(change, ops.mul(result, result))),
  [0.5, 2],
);
