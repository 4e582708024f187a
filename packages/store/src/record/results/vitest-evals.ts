/** The JSON report of Vitest (`--reporter=json`), with what vitest-evals and `limbeck/vitest` put into it. */
import { objectsOf } from "limbeck-recorder/lines";
import { objectField, textField } from "../importers/fields.ts";
import { scoreOf, type ResultFormat, type Sample } from "./result-format.ts";

const DONE: Readonly<Record<string, number>> = { passed: 1, failed: 0 };

export const vitestEvals: ResultFormat = {
  id: "vitest-evals",
  title: "vitest-evals",
  reads: "Vitest's JSON report: pass of every test, average and named scores of vitest-evals, trials of limbeck/vitest",
  sign: /"numTotalTests"\s*:/,
  elements: [["testResults", "*"]],
  main: "pass",
  samples: (file) =>
    objectsOf(file["assertionResults"]).flatMap((one): Sample[] => {
      // The folder of a checkout is no part of a test's name.
      const name = textField(file["name"])?.replace(/^.*[/\\]/, "");
      const task = JSON.stringify([name ?? null, one["fullName"] ?? one["title"] ?? null]);
      const of = (metric: string, score: unknown): Sample => ({ task, metric, score: scoreOf(score) });
      const about = objectField(one["meta"]) ?? {};
      const trials = objectField(about["limbeck"])?.["trials"];
      const found = objectField(about["eval"]);
      return [
        ...(Array.isArray(trials)
          ? trials.map((trial) => of("pass", trial))
          : [of("pass", DONE[textField(one["status"]) ?? ""])]),
        ...(found === undefined ? [] : [of("score", found["avgScore"])]),
        ...objectsOf(found?.["scores"]).map((score) => of(textField(score["name"]) ?? "score", score["score"])),
      ];
    }),
};
