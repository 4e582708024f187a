/** Reading an action: anything, then bracketed anything; `search[words]` and `click[label]` are the two that exist. */

export interface ShopAction {
  readonly verb: "search" | "click";
  /** Lower-case, never empty. */
  readonly argument: string;
}

/**
 * The original reads with a greedy pattern on the first line: the last "[" that still has something before the last
 * "]" begins the argument, and text after that "]" is ignored. Done by hand, since a backtracking pattern takes time
 * quadratic in the length of hostile input.
 */
export function parseAction(text: string): ShopAction | undefined {
  const newline = text.indexOf("\n");
  const line = newline === -1 ? text : text.slice(0, newline);
  const close = line.lastIndexOf("]");
  const open = close < 2 ? -1 : line.lastIndexOf("[", close - 2);
  if (open < 1) return undefined;
  const verb = line.slice(0, open);
  if (verb !== "search" && verb !== "click") return undefined;
  return { verb, argument: line.slice(open + 1, close).toLowerCase() };
}
