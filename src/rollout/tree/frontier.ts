/** Which paths of a tree come first where places are short: those that have found what the others have not (TreePS-RAG). */
import type { Walk } from "../../walk/line/walk.ts";

/** Places in the order in which each brings most that those before it do not have; of equals the first. */
export function byNew(found: readonly ReadonlySet<string>[]): number[] {
  const left = [...found.keys()];
  const known = new Set<string>();
  const order: number[] = [];
  while (left.length > 0) {
    const fresh = left.map((at) => [...(found[at] ?? [])].filter((one) => !known.has(one)).length);
    const [best] = left.splice(fresh.indexOf(Math.max(...fresh)), 1) as [number];
    for (const one of found[best] ?? []) known.add(one);
    order.push(best);
  }
  return order;
}

/** Documents that a path has retrieved, as worlds of questions name them in a step's info. */
export function documentsOf({ episode }: Pick<Walk, "episode">): Set<string> {
  return new Set(
    episode.flatMap(({ info }) => {
      const passages = info?.["passages"];
      return Array.isArray(passages) ? passages.map(String) : [];
    }),
  );
}

export function byDocuments(walks: readonly Walk[]): Walk[] {
  return byNew(walks.map(documentsOf)).map((at) => walks[at] as Walk);
}
