/** Special tokens as `tokenizer.json` lists them. */
import type { Json } from "../../trajectory/index.ts";

/** Their ids are their places. */
export function specialTokens(contents: readonly string[]): Json[] {
  return contents.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
}
