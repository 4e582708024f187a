/**
 * Where the states of a group stand in the drawing. A stretch without a decision (one way on, nobody ends) is one box,
 * so that a drawing is as wide as there are decisions, not steps.
 */
import type { TreeNode } from "../../../../src/serve/api.ts";

export interface Box {
  /** The nodes of the stretch, from its first to its last. */
  readonly nodes: readonly TreeNode[];
  readonly parent: number | undefined;
  readonly column: number;
  /** In rows; a box with several ways on stands in their middle. */
  readonly row: number;
}

export interface Layout {
  /** A parent stands before its children. */
  readonly boxes: readonly Box[];
  readonly columns: number;
  readonly rows: number;
}

export function layOut(nodes: readonly TreeNode[]): Layout {
  const children = new Map<number | null, TreeNode[]>();
  for (const node of nodes) children.set(node.parent, [...(children.get(node.parent) ?? []), node]);
  const boxes: { nodes: TreeNode[]; parent: number | undefined; column: number; row: number }[] = [];
  const waiting = (children.get(null) ?? []).map((node) => ({
    node,
    parent: undefined as number | undefined,
    column: 0,
  }));
  // A stack instead of recursion: an episode may have thousands of steps.
  while (waiting.length > 0) {
    const next = waiting.shift();
    if (next === undefined) break;
    const stretch = [next.node];
    for (let last = next.node; ;) {
      const ways: readonly TreeNode[] = children.get(last.id) ?? [];
      const [only] = ways;
      if (only === undefined || ways.length > 1 || last.ends.length > 0) break;
      stretch.push(only);
      last = only;
    }
    const at = boxes.length;
    boxes.push({ nodes: stretch, parent: next.parent, column: next.column, row: 0 });
    const ways = children.get(stretch.at(-1)?.id ?? -1) ?? [];
    const ordered = ways.toSorted((left, right) => right.visits - left.visits || left.id - right.id);
    waiting.unshift(...ordered.map((node) => ({ node, parent: at, column: next.column + 1 })));
  }
  return {
    boxes: withRows(boxes),
    columns: 1 + Math.max(0, ...boxes.map(({ column }) => column)),
    rows: leavesOf(boxes),
  };
}

function withRows(boxes: readonly Box[]): Box[] {
  const parents = new Set(boxes.map(({ parent }) => parent));
  const spans = boxes.map(() => ({ first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }));
  const rows = boxes.map(() => 0);
  let leaf = 0;
  // Boxes are in the order of a walk from the top, so leaves are met in the order in which they are drawn.
  for (const [at] of boxes.entries()) {
    if (parents.has(at)) continue;
    rows[at] = leaf;
    leaf += 1;
  }
  for (let at = boxes.length - 1; at >= 0; at -= 1) {
    const span = spans[at];
    if (span === undefined) continue;
    if (parents.has(at)) rows[at] = (span.first + span.last) / 2;
    const above = spans[boxes[at]?.parent ?? -1];
    if (above === undefined) continue;
    above.first = Math.min(above.first, rows[at] ?? 0);
    above.last = Math.max(above.last, rows[at] ?? 0);
  }
  return boxes.map((box, at) => ({ ...box, row: rows[at] ?? 0 }));
}

function leavesOf(boxes: readonly Box[]): number {
  const parents = new Set(boxes.map(({ parent }) => parent));
  return boxes.filter((_box, at) => !parents.has(at)).length;
}
