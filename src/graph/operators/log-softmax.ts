/** x_i - log sum_j exp(x_j) along an axis. With y the result: grad x = g - exp(y) sum(g). */
import { alongAxis } from "../frames.ts";

export const logSoftmax = alongAxis("LogSoftmax", ({ axis, change, result, ops }) =>
  ops.sub(change, ops.mul(ops.exp(result), ops.reduceSum(change, [axis]))),
);
