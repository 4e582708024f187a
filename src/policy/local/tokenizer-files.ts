/** A tokenizer as the files of a Hugging Face folder. */
import type { JsonObject } from "./config-file.ts";

/** `tokenizer.json`, `tokenizer_config.json` and, where there is one, `chat_template.jinja`; saved as they were read. */
export interface TokenizerFiles {
  readonly tokenizer: JsonObject;
  readonly config: JsonObject;
  readonly chatTemplate?: string;
}
