import { expect, test } from "vitest";
import { reportText } from "./report-text.ts";
import type { SuiteReport } from "./report.ts";

const half = { mean: 0.5, low: 0.25, high: 0.75 };
const report: SuiteReport = {
  suite: "s",
  version: "2",
  digest: "0123456789abcdef0123",
  frozen: "fedcba98765432100000",
  policy: "chat",
  samples: 2,
  tasks: 1,
  episodes: 2,
  unscored: 1,
  causes: { "env-lost": 1 },
  accuracy: half,
  graders: {},
  buckets: { "a|b](http://x)": { tasks: 1, accuracy: half } },
  worlds: {},
  templates: {},
  unseen: { world: { tasks: 1, accuracy: null } },
  variants: { groups: 1, right: half, alike: half },
  values: { thrift: { low: "lavish", high: "frugal", tasks: 1, position: half } },
  cost: { steps: 3, modelCalls: 2, sampledTokens: 1234, readTokens: 5 },
};

test("the report as Markdown: names of others end no cell and make no link", () => {
  expect(reportText(report).split("\n")).toEqual([
    "# s 2: chat",
    "",
    "Accuracy 0.500 [0.250, 0.750] over 1 task, 2 episodes, 2 of each task.",
    "",
    "Without a score, in no figure: 1: env-lost (1).",
    "",
    "| bucket | tasks | accuracy |",
    "| --- | ---: | --- |",
    String.raw`| a\|b\](http://x) | 1 | 0.500 [0.250, 0.750] |`,
    "",
    "| new in it | tasks | accuracy |",
    "| --- | ---: | --- |",
    "| world | 1 | no figure |",
    "",
    "Variants: 1 group; right in all 0.500 [0.250, 0.750], alike in all 0.500 [0.250, 0.750].",
    "",
    "| value | 0 | 1 | tasks | position |",
    "| --- | --- | --- | ---: | --- |",
    "| thrift | lavish | frugal | 1 | 0.500 [0.250, 0.750] |",
    "",
    "Cost: 3 steps, 2 model calls, 1,234 tokens sampled, 5 read.",
    "",
    "Suite 0123456789abcdef, tasks fedcba9876543210.",
    "",
  ]);
});
