/** What a study of strangers' worlds came to: a line for each world, seed and arm, and what decides for each world and arm. */
import { groupedBy } from "../../packages/base/src/base/grouped-by.ts";

/** Of warm-up.json. */
export interface Warmed {
  readonly updates: number;
  readonly seconds: number;
  readonly measured: Readonly<Record<"none" | "sampled", { readonly success: number | null }>>;
}

/** Of the lines of `limbeck train --json`. */
export interface Trained {
  readonly event?: string;
  readonly update?: number;
  readonly spent?: { readonly sampledTokens: number; readonly modelTokens: number };
  readonly metrics?: Readonly<Record<string, number | null>>;
  readonly reason?: string;
  readonly seconds?: number;
}

/** Of the lines of `limbeck eval --json`. */
export interface Played {
  readonly event: string;
  readonly side?: string;
  readonly success?: { readonly mean: number };
  readonly difference?: number;
  readonly low?: number;
  readonly high?: number;
}

/** One arm of a world and seed; what is not there was not reached. */
export interface Done {
  readonly world: string;
  readonly seed: number;
  readonly arm: string;
  readonly warmed?: Warmed | undefined;
  readonly trained?: readonly Trained[] | undefined;
  readonly played?: readonly Played[] | undefined;
}

export function tableOf(done: readonly Done[]): string {
  const head = ["world", "seed", "arm", "warm-up: updates, success, at temperature 1", "before", "after", "difference (95%)", "end", "updates", "seconds, warm-up + training", "tokens"]; // prettier-ignore
  const sums = [...groupedBy(done, ({ world, arm }) => `${world}, ${arm}`)].map(([name, all]) => {
    const differences = all.flatMap(({ played }) => played?.filter(({ event }) => event === "comparison") ?? []);
    const rising = differences.filter(({ low = 0 }) => low > 0).length;
    const falling = differences.filter(({ high = 0 }) => high < 0).length;
    const stopped = all.filter(({ trained }) => trained !== undefined && endOf(trained) !== "finished").length;
    return [name, `${differences.length} of ${all.length}`, `${rising}`, `${falling}`, `${stopped}`];
  });
  return `${lines(head, done.map(cellsOf))}\n${lines(["world, arm", "measured", "rise", "fall", "stopped or failed"], sums)}`;
}

function cellsOf({ world, seed, arm, warmed, trained, played }: Done): readonly string[] {
  const shares = (["none", "sampled"] as const).map((name) => figure(warmed?.measured[name].success));
  const side = (wanted: string): string => figure(played?.find((line) => line.side === wanted)?.success?.mean);
  const compared = played?.find(({ event }) => event === "comparison");
  const gain = compared === undefined ? "" : `${figure(compared.difference)} (${figure(compared.low)} to ${figure(compared.high)})`; // prettier-ignore
  const updates = trained === undefined ? [] : updatesOf(trained);
  return [
    world,
    `${seed}`,
    arm,
    warmed === undefined ? "not reached" : `${warmed.updates}, ${shares.join(", ")}`,
    side("against"),
    side("policy"),
    gain,
    trained === undefined ? "" : endOf(trained),
    `${updates.length}`,
    warmed === undefined ? "" : `${warmed.seconds.toFixed(0)} + ${trained?.at(-1)?.seconds?.toFixed(0) ?? "?"}`,
    tokensOf(updates).toLocaleString("en-GB"),
  ];
}

/** A training that was resumed tells some updates twice; the last time counts. */
function updatesOf(trained: readonly Trained[]): readonly Trained[] {
  return [...new Map(trained.filter(({ event }) => event === "update").map((line) => [line.update, line])).values()];
}

/** Sampled, read and scored, by the policy and by its teacher. */
function tokensOf(updates: readonly Trained[]): number {
  const { sampledTokens = 0, modelTokens = 0 } = updates.at(-1)?.spent ?? {};
  const teacher = updates.reduce((sum, { metrics }) => sum + (metrics?.["teacher/tokens"] ?? 0), 0);
  return sampledTokens + modelTokens + teacher;
}

const endOf = (trained: readonly Trained[]): string => trained.at(-1)?.reason ?? "failed";

const figure = (value: number | null | undefined): string => value?.toFixed(2) ?? "";

function lines(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |\n`).join("");
}
