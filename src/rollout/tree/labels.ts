/** Names of branches: 1, 2, 3, … below each walk. */
import type { Walk } from "../../walk/line/walk.ts";

export function createLabels(): (walk: Walk) => number {
  const counts = new Map<string, number>();
  return ({ id }) => {
    const next = (counts.get(id) ?? 0) + 1;
    counts.set(id, next);
    return next;
  };
}
