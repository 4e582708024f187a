/** Our own: JSON lines of tasks with their scores, as any program can write them. */
import { isObject } from "limbeck-base/base/json";
import { textField } from "../importers/fields.ts";
import { scoreOf, type ResultFormat, type Sample } from "./result-format.ts";

export const rows: ResultFormat = {
  id: "rows",
  title: "rows",
  reads:
    'JSON lines {"task": …, "success": true} or {"task": …, "score": 0.7}, with "metric" and "arm" where there are several',
  sign: /"(?:task|id)"\s*:.*"(?:success|score|scores)"\s*:|"(?:success|score|scores)"\s*:.*"(?:task|id)"\s*:/s,
  samples: (row) => {
    const name = row["task"] ?? row["id"];
    const task = isObject(name)
      ? (textField(name["id"]) ?? JSON.stringify(name))
      : typeof name === "string"
        ? name
        : JSON.stringify(name);
    const arm = textField(row["arm"]);
    const of = (metric: string, score: unknown): Sample => ({
      task,
      metric,
      score: scoreOf(score),
      ...(arm && { arm }),
    });
    if (isObject(row["scores"])) return Object.entries(row["scores"]).map(([metric, score]) => of(metric, score));
    const hasScore = row["score"] !== undefined;
    return [of(textField(row["metric"]) ?? (hasScore ? "score" : "success"), hasScore ? row["score"] : row["success"])];
  },
};
