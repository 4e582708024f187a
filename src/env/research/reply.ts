/**
 * What a reply asks for: one search block or one answer block.
 *
 * Everything after the first closing tag is cut; the block is what stands between the first opening tag of that kind
 * and there. A reply is well formed when it holds a block, not both kinds of opening tag, and none twice. Those are
 * counted in the whole reply, the cut part included. Tags are read in any case.
 */
export type BlockKind = "search" | "answer";

export interface Reply {
  /** What was asked for, blanks trimmed; undefined when no complete block was found. */
  readonly block: { readonly kind: BlockKind; readonly text: string } | undefined;
  /** Why it is not well formed; undefined when it is. */
  readonly fault: string | undefined;
}

export function readReply(text: string): Reply {
  const openings = [...text.matchAll(/<(search|answer)>/gi)];
  const close = /<\/(search|answer)>/i.exec(text);
  const kind = close?.[1]?.toLowerCase() as BlockKind | undefined;
  const open = openings.find((tag) => tag[1]?.toLowerCase() === kind);
  const start = open === undefined ? 0 : open.index + open[0].length;
  const found = close !== null && kind !== undefined && open !== undefined && start <= close.index;
  const block = found ? { kind, text: text.slice(start, close.index).trim() } : undefined;
  const searches = openings.filter((tag) => tag[1]?.toLowerCase() === "search").length;
  return { block, fault: faultOf(block !== undefined, searches, openings.length - searches) };
}

function faultOf(hasBlock: boolean, searches: number, answers: number): string | undefined {
  if (!hasBlock) return "no complete <search> or <answer> block was found";
  if (searches > 0 && answers > 0) return "both a search and an answer were given";
  if (searches > 1) return "more than one <search> block was given";
  return answers > 1 ? "more than one <answer> block was given" : undefined;
}
