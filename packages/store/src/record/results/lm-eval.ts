/** Samples that lm-evaluation-harness writes with `--log_samples`: one file a task. */
import type { JsonObject } from "limbeck-base/base/json";
import { textField } from "../importers/fields.ts";
import { scoreOf, type ResultFormat, type Sample } from "./result-format.ts";

export const lmEval: ResultFormat = {
  id: "lm-eval",
  title: "lm-evaluation-harness",
  reads: "samples_*.jsonl of --log_samples, or a folder of them: every metric, with its filter where it has one",
  sign: /"doc_id"\s*:.*"(?:resps|filtered_resps|doc_hash)"\s*:/s,
  files: /(?:^|\/)samples_[^/]*\.jsonl$/,
  samples: (value, file): Sample[] => {
    // The hash tells documents apart that another version of the task has at the same place.
    const task = `${taskOf(file)}/${JSON.stringify(value["doc_id"] ?? null)}${textField(value["doc_hash"]) ?? ""}`;
    const filter = textField(value["filter"]) ?? "none";
    const names = metricsOf(value);
    return names.map((name) => ({
      task,
      metric: filter === "none" ? name : `${name},${filter}`,
      score: scoreOf(value[name]),
    }));
  },
};

function metricsOf(value: JsonObject): readonly string[] {
  const named = value["metrics"];
  if (Array.isArray(named)) return named.filter((name) => typeof name === "string");
  // Before 0.4.9 the metrics are not listed; they are the numbers that are no place.
  return Object.keys(value).filter((name) => name !== "doc_id" && scoreOf(value[name]) !== undefined);
}

/** `samples_gsm8k_2025-09-09T13-31-53.4.jsonl` is of gsm8k. */
export function taskOf(file: string): string {
  return file.replace(/^samples_/, "").replace(/(?:_\d{4}-\d\d-\d\dT[\d.:-]*)?\.jsonl$/, "");
}
