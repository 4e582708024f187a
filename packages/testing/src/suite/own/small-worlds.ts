/** Four small worlds, five tasks each, for the bundled models and for scripts: seconds. */
import type { SuiteInput } from "../suite.ts";

const place = (world: string, options: SuiteInput["tasks"][number]["options"], buckets: string[]) =>
  ({ id: world, world, options, split: "test", count: 5, buckets }) satisfies SuiteInput["tasks"][number];

export const smallWorlds: SuiteInput = {
  suite: "small-worlds",
  version: "1",
  meaning:
    "Errands, a shelf of papers, a day of accounts and a note to write: four small worlds, judged by themselves.",
  grader: "outcome",
  tasks: [
    place("household", { dial: "tiny" }, ["errands"]),
    place("archive", { size: "tiny" }, ["papers"]),
    place("draft", { level: "small" }, ["papers"]),
    place("ledger", { level: "small" }, ["accounts"]),
  ],
};
