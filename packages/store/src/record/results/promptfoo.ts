/** Results that `promptfoo eval --output` writes: files of version 2 to 4, and JSON lines. */
import { canonicalJson, isObject, type JsonObject } from "limbeck-base/base/json";
import { objectField, textField } from "../importers/fields.ts";
import { scoreOf, type ResultFormat, type Sample } from "./result-format.ts";

/** A test that broke off, which is no failure of the answer. */
const ERROR = 2;

export const promptfoo: ResultFormat = {
  id: "promptfoo",
  title: "promptfoo",
  reads:
    "results of eval --output, JSON or JSON lines: pass, score and named scores; an arm is a provider with a prompt",
  sign: /"promptIdx"\s*:|"testPassCount"\s*:|"results"\s*:\s*\{\s*"version"\s*:|"evalId"\s*:\s*"eval-/,
  elements: [
    ["results", "results", "*"],
    ["results", "*"],
  ],
  main: "pass",
  samples: (value): Sample[] => {
    const test = objectField(value["testCase"]) ?? {};
    const vars = objectField(value["vars"]) ?? objectField(test["vars"]) ?? {};
    const isEmpty = Object.keys(vars).length === 0;
    const task = canonicalJson([test["description"] ?? null, isEmpty ? (value["testIdx"] ?? null) : vars]);
    const isBroken = value["failureReason"] === ERROR;
    const arm = armOf(value);
    const of = (metric: string, score: unknown): Sample => ({
      task,
      metric,
      score: isBroken ? undefined : scoreOf(score),
      ...(arm === undefined ? {} : { arm }),
    });
    const named = Object.entries(objectField(value["namedScores"]) ?? {}).map(([name, score]) => of(name, score));
    return [of("pass", value["success"]), of("score", value["score"]), ...named];
  },
};

function armOf({ provider, promptIdx }: JsonObject): string | undefined {
  const name = isObject(provider) ? (textField(provider["label"]) ?? textField(provider["id"])) : textField(provider);
  return name === undefined ? undefined : `${name} prompt ${1 + (scoreOf(promptIdx) ?? 0)}`;
}
