/** Difference, with broadcasting. d(a - b) = da - db. */
import { binary } from "../frames.ts";

export const sub = binary("Sub", ({ change, ops }) => [change, ops.neg(change)]);
