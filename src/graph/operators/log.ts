/** Natural logarithm. d(log x) = dx / x. */
import { unary } from "../frames.ts";

export const log = unary("Log", ({ change, value, ops }) => ops.div(change, value), [0.5, 2]);
