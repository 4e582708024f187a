/** Answers that must be JSON: read, checked, and given to the program as they would come from a provider that promises the form. */
import { z } from "zod";
import { parseObject } from "../../base/index.ts";
import type { JsonObject } from "../../trajectory/index.ts";
import type { AnswerForm, ChatReply } from "./question.ts";

export function fitsForm({ schema }: AnswerForm, action: string): ChatReply | { readonly reason: string } {
  const text = action.trim();
  const value = parseObject(text);
  if (value === undefined) return { reason: "The answer must be one JSON object and nothing else." };
  const wrong = schema === undefined ? undefined : readSchema(schema)?.safeParse(value).error;
  return wrong === undefined
    ? { text, calls: [] }
    : { reason: `The answer does not fit its schema: ${z.prettifyError(wrong).slice(0, 400)}` };
}

/** Undefined for a schema that cannot be checked here; the program checks its answers itself. */
function readSchema(schema: JsonObject): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(schema);
  } catch {
    return undefined;
  }
}
