/** Every operator, by name. */
import type { Operator } from "../operator.ts";
import { elementwise } from "./elementwise.ts";
import { indexing } from "./indexing.ts";
import { products } from "./products.ts";
import { reductions } from "./reductions.ts";
import { shaping } from "./shaping.ts";

export const operators = {
  ...elementwise,
  ...shaping,
  ...reductions,
  ...indexing,
  ...products,
} as const satisfies Record<string, Operator>;

export type OperatorId = keyof typeof operators;
