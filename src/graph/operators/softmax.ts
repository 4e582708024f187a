/** exp(x_i) / sum_j exp(x_j) along an axis. With y the result: grad x = y (g - sum(g y)). */
import { alongAxis } from "../frames.ts";

export const softmax = alongAxis("Softmax", ({ axis, change, result, ops }) => {
  const weighted = ops.mul(change, result);
  return ops.sub(weighted, ops.mul(result, ops.reduceSum(weighted, [axis])));
});
