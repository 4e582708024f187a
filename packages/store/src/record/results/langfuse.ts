/** What Langfuse exports as JSON or JSON lines: traces with their scores, one column a score, as its API gives them, or one trace beside its observations. */
import { canonicalJson, isObject, type JsonObject } from "limbeck-base/base/json";
import { objectsOf } from "limbeck-recorder/lines";
import { objectField, textField } from "../importers/fields.ts";
import { scoreOf, type ResultFormat, type Sample } from "./result-format.ts";

export const langfuse: ResultFormat = {
  id: "langfuse",
  title: "Langfuse",
  reads: "exported traces, JSON or JSON lines: every score; paired by dataset item, or by equal inputs",
  sign: /"(?:datasetItemId|observationCount|bookmarked|htmlPath|projectId)"\s*:/,
  elements: [["data", "*"], ["trace"]],
  samples: (value) => {
    const row = objectField(value["trace"]) ?? value;
    const { input, metadata } = row;
    const item = textField(row["datasetItemId"]) ?? textField(objectField(metadata)?.["dataset_item_id"]);
    const task = item ?? canonicalJson(input ?? row["id"] ?? null);
    return scoresOf(row).map(([metric, score]): Sample => ({ task, metric, score: scoreOf(score) }));
  },
};

function scoresOf(row: JsonObject): [name: string, value: unknown][] {
  const { scores } = row;
  if (Array.isArray(scores)) return objectsOf(scores).map((one) => [textField(one["name"]) ?? "score", one["value"]]);
  // A column holds all values of a score; only numbers can be compared.
  const columns = Object.entries(isObject(scores) ? scores : row);
  return columns.flatMap(([name, values]) =>
    Array.isArray(values) && values.length > 0 && values.every((one) => typeof one === "number")
      ? values.map((one): [string, unknown] => [name, one])
      : [],
  );
}
