/** Options of commands that let a search act. Kept apart from what they open, so that help stays quick. */
import type { Option } from "../command.ts";

/** What every command with a search takes besides the method itself. */
export const searchOptions = {
  "search-set": { type: "string", value: "KEY=VALUE", multiple: true, summary: "An option of the search" },
  "search-budget": {
    type: "string",
    value: "KIND=N",
    multiple: true,
    summary: "What the search of one task may spend: modelCalls, tokens, sampledTokens, envSteps, usd or seconds",
  },
  value: { type: "string", value: "NAME", summary: "What an unfinished episode is worth", choices: valueNames },
  "value-set": { type: "string", value: "KEY=VALUE", multiple: true, summary: "An option of the value" },
  prices: { type: "string", value: "READ,SAID", summary: "US dollars for a million tokens read and said" },
  ask: { type: "boolean", summary: "Let the search ask the chat model (LIMBECK_CHAT_…) as judge and planner" },
  blind: { type: "boolean", summary: "Do not let the search see how the world scores what has ended" },
} as const satisfies Record<string, Option>;

export async function searchNames(): Promise<readonly string[]> {
  return Object.keys((await import("../../search/index.ts")).searches);
}

async function valueNames(): Promise<readonly string[]> {
  return Object.keys((await import("../../search/index.ts")).values);
}
