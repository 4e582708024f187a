/** Quotient, with broadcasting. d(a / b) = da / b - (a / b) db / b. */
import { binary } from "../frames.ts";
import { broadcastCases } from "../shapes.ts";

export const div = binary(
  "Div",
  ({ change, right, result, ops }) => [ops.div(change, right), ops.neg(ops.mul(change, ops.div(result, right)))],
  broadcastCases([0.5, 2]),
);
