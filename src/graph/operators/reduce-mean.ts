/** Mean over axes, which stay as ones. The gradient is spread evenly over what was averaged. */
import { reduction } from "../frames.ts";
import { elementCount, scalar } from "../tensor.ts";

export const reduceMean = reduction("ReduceMean", ({ change, value, ops }) => {
  const share = elementCount(change.shape) / elementCount(value.shape);
  return ops.expand(ops.mul(change, scalar(share)), value.shape);
});
