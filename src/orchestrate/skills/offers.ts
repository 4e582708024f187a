/** What can be written down of an episode, in the statistics analyst's words: a choice for policies too small to write. */
import { avoidanceText, stepAdvice, workflowText } from "../../skill/index.ts";

export interface Deed {
  readonly action: string;
  readonly valid: boolean;
}

/**
 * Always the same kinds in the same order, whatever the outcome was: that it worked, that it was tried in vain, and its last
 * action alone. Which of them is true is for the policy to learn. Equal texts are offered once; at least one is.
 */
export function offersOf(deeds: readonly Deed[]): string[] {
  const done = deeds.filter(({ valid }) => valid).map(({ action }) => action);
  const last = done.at(-1);
  const texts = [workflowText(done), avoidanceText({ tried: done }), last === undefined ? "" : stepAdvice(last)];
  const offered = [...new Set(texts.filter((text) => text !== ""))];
  return offered.length > 0 ? offered : ["Nothing was done."];
}
