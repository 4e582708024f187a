/** Which runs a page of the list shows, by what is known of a run without reading its rows. */
import type { RunSummary } from "limbeck-store/store/store";
import type { Answer, QueryOf } from "../api/endpoints.ts";
import type { Labels } from "../api/labels.ts";

export type RunsAsked = QueryOf<"runs">;

export interface ListedRun {
  readonly summary: RunSummary;
  readonly labels: Labels;
}

/** Pinned ones first, else in the order of `all`. */
export function chooseRuns(
  all: readonly ListedRun[],
  { search = "", tag: tags = [], archived }: Pick<RunsAsked, "search" | "tag" | "archived">,
): { readonly chosen: ListedRun[] } & Pick<Answer<"runs">, "tags" | "archived"> {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const chosen = all.filter(
    (run) =>
      (archived === "show" || run.labels.archived === (archived === "only")) &&
      tags.every((tag) => run.labels.tags.includes(tag)) &&
      words.every((word) => textOf(run).includes(word)),
  );
  const counted = new Map<string, number>();
  for (const { labels } of all) for (const tag of labels.tags) counted.set(tag, (counted.get(tag) ?? 0) + 1);
  return {
    chosen: [...chosen.filter(({ labels }) => labels.pinned), ...chosen.filter(({ labels }) => !labels.pinned)],
    tags: [...counted].map(([tag, runs]) => ({ tag, runs })).toSorted((left, right) => (left.tag < right.tag ? -1 : 1)),
    archived: all.filter(({ labels }) => labels.archived).length,
  };
}

function textOf({ summary: { id, kind, config }, labels }: ListedRun): string {
  const said = [config["recipe"], config["env"]].filter((one) => typeof one === "string");
  return [id, kind, ...said, ...labels.tags, labels.note].join(" ").toLowerCase();
}
