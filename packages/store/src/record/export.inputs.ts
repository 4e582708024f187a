/** What `limbeck export` takes and says. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";
import { readInputs } from "../store/read.inputs.ts";

export const PREFERENCES = "preferences";

/** Formats that are written, and preferences. */
export async function exportNames(): Promise<readonly string[]> {
  const { formats } = await import("../store/formats/index.ts");
  const written = Object.values(formats).flatMap(({ id, write }) => (write === undefined ? [] : [id]));
  return [...written, PREFERENCES].sort();
}

async function pairSourceNames(): Promise<readonly string[]> {
  return Object.keys((await import("limbeck-core/distill/pairs/index")).pairSources);
}

export const exportInputs = {
  format: input.choice("F", "Format of the file", exportNames),
  out: input.path("PATH", "Where to write; parquet makes a folder, atif too for a path that ends in /"),
  ...readInputs,
  where: input.text("SQL", "A condition on the columns of the view trajectories"),
  overwrite: input.flag("Replace the file if it is there"),
  pairs: input.choice("SOURCE", "With --format preferences: how pairs are found. Default: episodes", pairSourceNames),
  noContent: input.flag("otel only: leave out the texts of messages, tools and tasks"),
} as const;

export const exportLine = {
  path: "the file written",
  format: "its format",
  trajectories: "trajectories written; with preferences, trajectories read",
  pairs: "preferences: pairs written",
  bytes: "size of the file",
  loses: "what the format cannot hold; empty when it holds everything",
} as const;

/** What was written; of preferences, the pairs of a source. */
export interface Exported {
  readonly out: string;
  readonly format: string;
  readonly count: number;
  readonly pairs?: string;
  readonly bytes: number;
}

export interface ExportShows {
  readonly losses: (format: string, loses: string) => void;
  readonly written: (exported: Exported) => void;
}

export type ExportInput = Input<typeof exportInputs>;
export type ExportContext = Context<EventOf<{}, typeof exportLine>, ExportShows>;
