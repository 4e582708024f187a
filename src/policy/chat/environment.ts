/** The chat server that environment variables name. */
import { EngineError } from "../../base/index.ts";
import type { ChatServer } from "./server.ts";

const NAMES = {
  baseUrl: "LIMBECK_CHAT_BASE_URL",
  apiKey: "LIMBECK_CHAT_API_KEY",
  model: "LIMBECK_CHAT_MODEL",
} as const;

/**
 * The key may be missing: a server on this machine seldom wants one.
 *
 * @example
 * const server = chatServerFrom({ LIMBECK_CHAT_BASE_URL: "http://127.0.0.1:8000/v1", LIMBECK_CHAT_MODEL: "my-model" });
 * console.log(server.model); // my-model
 */
export function chatServerFrom(environment: Readonly<Record<string, string | undefined>>): ChatServer {
  const read = (name: string): string => {
    const value = environment[name]?.trim() ?? "";
    if (value !== "") return value;
    throw new EngineError(
      "bad-option",
      `No chat model is set: ${name} is missing. Set ${NAMES.baseUrl} and ${NAMES.model}, and ${NAMES.apiKey} where the server wants a key.`,
    );
  };
  const apiKey = environment[NAMES.apiKey]?.trim() ?? "";
  return { baseUrl: read(NAMES.baseUrl), model: read(NAMES.model), ...(apiKey === "" ? {} : { apiKey }) };
}
