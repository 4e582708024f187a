/** The policy's own tokenizer, for teachers that read its text. */
import { EngineError } from "limbeck-base/base/errors";
import type { Tokenizer } from "limbeck-policy/policy/local/tokenizer";
import type { TaughtModel } from "./teacher.ts";

export function ownTokenizer({ tokenizer }: TaughtModel, teacher: string): Tokenizer {
  if (tokenizer !== undefined) return tokenizer;
  throw new EngineError(
    "missing-tokenizer",
    `The teacher "${teacher}" reads the policy's words as text, and the policy has no tokenizer; use a model folder with a tokenizer.json.`,
  );
}
