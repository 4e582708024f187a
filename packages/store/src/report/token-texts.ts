/** Texts of single tokens. The store holds ids, which are exact; the run's checkpoint holds the tokenizer. */
import { join } from "node:path";
import { loadTokenizer } from "limbeck-policy/policy/local/load-tokenizer";
import { createTextStream } from "limbeck-policy/policy/local/tokenizer";

/** The texts of tokens that follow each other. */
export type TokenTexts = (ids: readonly number[]) => string[];

/** By the tokenizer of the run's own model; undefined where there is none or it cannot be read. */
export async function readTokenTexts(root: string, run: string): Promise<TokenTexts | undefined> {
  try {
    const tokenizer = await loadTokenizer(join(root, run, "model"));
    return (ids) => {
      const stream = createTextStream(tokenizer);
      return ids.map((id) => stream.push(id));
    };
  } catch {
    return undefined;
  }
}
