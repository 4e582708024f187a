/** Exponential. d(exp x) = exp(x) dx. */
import { unary } from "../frames.ts";

export const exp = unary("Exp", ({ change, result, ops }) => ops.mul(change, result));
