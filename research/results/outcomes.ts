/**
 * Outcomes of a study's runs in a file, one line each, so that runs can be made by several processes, be stopped and go on:
 * `--seeds 1,2` says which runs this process makes, `--outcomes FILE` where all are kept.
 */
import { appendFile, readFile } from "node:fs/promises";
import { parseArgs } from "node:util";

export interface Outcomes<T> {
  readonly seeds: readonly number[];
  /** The outcome of this run, measured now or earlier. */
  readonly of: (key: string, measure: () => Promise<T>) => Promise<T>;
}

export async function openOutcomes<T>(words: readonly string[], every: readonly number[]): Promise<Outcomes<T>> {
  const { values } = parseArgs({
    args: [...words],
    options: { seeds: { type: "string" }, outcomes: { type: "string" } },
    strict: false,
  });
  const known = new Map<string, T>();
  const file = typeof values.outcomes === "string" ? values.outcomes : undefined;
  const text = file === undefined ? "" : await readFile(file, "utf8").catch(() => "");
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const { key, outcome } = JSON.parse(line) as { readonly key: string; readonly outcome: T };
    known.set(key, outcome);
  }
  return {
    seeds: typeof values.seeds === "string" ? values.seeds.split(",").map(Number) : every,
    of: async (key, measure) => {
      const found = known.get(key);
      if (found !== undefined) return found;
      const outcome = await measure();
      if (file !== undefined) await appendFile(file, `${JSON.stringify({ key, outcome })}\n`);
      return outcome;
    },
  };
}
