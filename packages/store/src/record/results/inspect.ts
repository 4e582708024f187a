/** Logs of Inspect: `.eval` archives and JSON. */
import { isObject, type Json } from "limbeck-base/base/json";
import { objectsOf } from "limbeck-recorder/lines";
import { objectField } from "../importers/fields.ts";
import { scoreOf, type ResultFormat, type Sample } from "./result-format.ts";
import { jsonInZip } from "./zip.ts";

/** What Inspect makes of its letters: correct, partial, incorrect, no answer. */
const LETTERS: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 };

export const inspect: ResultFormat = {
  id: "inspect",
  title: "Inspect",
  reads: "logs as .eval or JSON: every scorer's value (C, P, I and N as 1, 0.5, 0 and 0); epochs are trials",
  ending: /\.eval$/,
  sign: /^\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:/,
  elements: [["samples", "*"]],
  // A log that was broken off has no summaries but those of its journal.
  values: async (path) => {
    const all = await jsonInZip(path, /^summaries\.json$/);
    return objectsOf((all.length > 0 ? all : await jsonInZip(path, /^_journal\/summaries\/\d+\.json$/)).flat());
  },
  samples: (value) => {
    const task = JSON.stringify(value["id"] ?? null);
    const scores = Object.entries(objectField(value["scores"]) ?? {});
    return scores.flatMap(([scorer, score]): Sample[] =>
      valuesOf(scorer, isObject(score) ? score["value"] : undefined, task),
    );
  },
};

/** A scorer may give one value, or several by name. */
function valuesOf(scorer: string, value: Json | undefined, task: string): Sample[] {
  const several = objectField(value);
  if (several !== undefined)
    return Object.entries(several).flatMap(([name, one]) => valuesOf(`${scorer}.${name}`, one, task));
  const score = typeof value === "string" ? (LETTERS[value] ?? scoreOf(Number(value))) : scoreOf(value);
  return [{ task, metric: scorer, score }];
}
