/** Largest value over axes, which stay as ones. For numerical shifts only: it has no gradient rule. */
import { reduction } from "../frames.ts";

export const reduceMax = reduction("ReduceMax");
