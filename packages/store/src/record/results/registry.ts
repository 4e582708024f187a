/** Every result format, the stricter sign first. */
import { inspect } from "./inspect.ts";
import { langfuse } from "./langfuse.ts";
import { lmEval } from "./lm-eval.ts";
import { promptfoo } from "./promptfoo.ts";
import type { ResultFormat } from "./result-format.ts";
import { rows } from "./rows.ts";
import { vitestEvals } from "./vitest-evals.ts";

export const resultFormats = {
  inspect,
  "vitest-evals": vitestEvals,
  "lm-eval": lmEval,
  promptfoo,
  langfuse,
  rows,
} as const satisfies Record<string, ResultFormat>;
