/** Ids of a tokenizer's file: the library makes a list as long as the largest, so that one huge id takes minutes and all memory. */
import { EngineError } from "../../base/errors.ts";
import { isObject } from "../../base/index.ts";
import type { JsonObject } from "./config-field.ts";

/** Sixty times the largest vocabulary that is known. */
const MOST = 1 << 24;

export function refuseFarIds(tokenizer: JsonObject, where: string): void {
  const { vocab } = (tokenizer["model"] ?? {}) as JsonObject;
  const named = typeof vocab === "object" && vocab !== null && !Array.isArray(vocab) ? Object.entries(vocab) : [];
  const list = tokenizer["added_tokens"];
  const added = Array.isArray(list) ? list.filter(isObject) : [];
  const called = added.map(({ content, id }) => [typeof content === "string" ? content : "", id] as const);
  for (const [token, id] of [...named, ...called]) {
    if (typeof id !== "number" || (Number.isInteger(id) && id >= 0 && id < MOST)) continue;
    throw new EngineError(
      "bad-tokenizer",
      `${where}: the token ${JSON.stringify(token.slice(0, 40))} has the id ${id}; ids are whole numbers from 0 to ${MOST - 1}.`,
      { details: { id } },
    );
  }
}
