/** Negation. d(-x) = -dx. */
import { unary } from "../frames.ts";

export const neg = unary("Neg", ({ change, ops }) => ops.neg(change));
