/** Which runs a page of the list shows. */
import type { Answer } from "../api/endpoints.ts";
import type { RunItem, RunStatus } from "../api/runs.ts";

export interface RunsAsked {
  readonly offset: number;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly status?: RunStatus | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly archived: "hide" | "only" | "show";
}

/** Pinned ones first, else in the order of `all`. */
export function chooseRuns(all: readonly RunItem[], asked: RunsAsked): Answer<"runs"> {
  const { offset, limit, status, tag: tags = [], archived } = asked;
  const words = (asked.search ?? "").toLowerCase().split(/\s+/);
  const chosen = all.filter((run) => {
    const { labels } = run;
    const text = [run.id, run.kind, run.recipe, run.env, ...labels.tags, labels.note].join(" ").toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      (status === undefined || run.status === status) &&
      tags.every((tag) => labels.tags.includes(tag)) &&
      (archived === "show" || labels.archived === (archived === "only"))
    );
  });
  const counted = new Map<string, number>();
  for (const tag of all.flatMap(({ labels }) => labels.tags)) counted.set(tag, (counted.get(tag) ?? 0) + 1);
  return {
    offset,
    limit,
    total: chosen.length,
    runs: chosen
      .toSorted((left, right) => Number(right.labels.pinned) - Number(left.labels.pinned))
      .slice(offset, offset + limit),
    tags: [...counted].map(([tag, runs]) => ({ tag, runs })).toSorted((left, right) => (left.tag < right.tag ? -1 : 1)),
    archived: all.filter(({ labels }) => labels.archived).length,
  };
}
