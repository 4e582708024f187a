/** Hyperbolic tangent. With t = tanh x: dt = (1 - t^2) dx. */
import { unary } from "../frames.ts";

export const tanh = unary("Tanh", ({ change, result, ops }) =>
  ops.sub(change, ops.mul(change, ops.mul(result, result))),
);
