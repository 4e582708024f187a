/**
 * The process that tries a template: one JSON line for each result on standard output. A template is a program of a
 * stranger; here it can neither hold up nor bring down the caller.
 */
import { errorData, EngineError } from "limbeck-base/base/errors";
import { createChat } from "../chat-template.ts";
import { loadTokenizer } from "../load-tokenizer.ts";
import { checkScenarios, handledBy } from "./check.ts";

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  const folder = process.argv[2] ?? ".";
  const tokenizer = await loadTokenizer(folder);
  say({ kind: "ready" });
  const chat = await createChat(tokenizer);
  if (chat === undefined) {
    throw new EngineError(
      "missing-chat-template",
      `"${folder}" has no chat template; add chat_template.jinja, or chat_template in tokenizer_config.json.`,
    );
  }
  for await (const result of checkScenarios(chat, tokenizer)) say({ kind: "result", result });
  say({ kind: "handled", handled: await handledBy(tokenizer) });
} catch (error) {
  say({ kind: "failed", error: errorData(error) });
}
