/** Tokens of an episode: what was sampled apart from all that its streams hold, "60 sampled · 277 in all". */
import type { TrajectoryItem } from "../../../src/serve/api.ts";
import { count } from "./numbers.ts";

export function tokensText({ sampled, tokens }: Pick<TrajectoryItem, "sampled" | "tokens">): string {
  const words = [
    ...(sampled === null ? [] : [`${count(sampled)} sampled`]),
    ...(tokens === null ? [] : [`${count(tokens)} in all`]),
  ];
  return words.length === 0 ? "unknown" : words.join(" · ");
}
