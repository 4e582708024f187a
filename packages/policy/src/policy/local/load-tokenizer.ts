/** The tokenizer that lies with a model. */
import { EngineError } from "limbeck-base/base/errors";
import { isGguf } from "./is-gguf.ts";
import { readJsonFile, readTextFile } from "./model-folder.ts";
import { createTokenizer, type Tokenizer } from "./tokenizer.ts";

/**
 * The tokenizer of a model's folder or GGUF file.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const tokenizer = await loadTokenizer(bundledModel("household"));
 * console.log(tokenizer.decode(tokenizer.encode("go to desk 1"))); // go to desk 1
 */
export async function loadTokenizer(folder: string): Promise<Tokenizer> {
  if (isGguf(folder)) {
    const { readGgufTokenizer } = await import("./gguf/tokenizer.ts");
    return await createTokenizer(await readGgufTokenizer(folder), folder);
  }
  const tokenizer = await readJsonFile(folder, "tokenizer.json");
  if (tokenizer === undefined) {
    throw new EngineError(
      "missing-tokenizer",
      `"${folder}" has no tokenizer.json; save the tokenizer in that form, or open the model without one.`,
    );
  }
  const config = (await readJsonFile(folder, "tokenizer_config.json")) ?? {};
  const chatTemplate = await readTextFile(folder, "chat_template.jinja");
  return await createTokenizer({ tokenizer, config, ...(chatTemplate === undefined ? {} : { chatTemplate }) }, folder);
}
