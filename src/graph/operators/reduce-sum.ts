/** Sum over axes, which stay as ones. The gradient is spread over what was summed. */
import { reduction } from "../frames.ts";

export const reduceSum = reduction("ReduceSum", ({ change, value, ops }) => ops.expand(change, value.shape));
