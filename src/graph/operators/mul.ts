/** Product, with broadcasting. d(a b) = b da + a db. */
import { binary } from "../frames.ts";

export const mul = binary("Mul", ({ change, left, right, ops }) => [ops.mul(change, right), ops.mul(change, left)]);
