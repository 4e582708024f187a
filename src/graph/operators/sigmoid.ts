/** Logistic function. With s = 1 / (1 + exp(-x)): ds = s (1 - s) dx = (s - s^2) dx. */
import { unary } from "../frames.ts";

export const sigmoid = unary("Sigmoid", ({ change, result, ops }) =>
  ops.mul(change, ops.sub(result, ops.mul(result, result))),
);
