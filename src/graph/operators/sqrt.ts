/** Square root. d(sqrt x) = dx / (2 sqrt x). */
import { unary } from "../frames.ts";

export const sqrt = unary("Sqrt", ({ change, result, ops }) => ops.div(change, ops.add(result, result)), [0.5, 2]);
