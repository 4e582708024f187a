import { expect, test } from "vitest";
import { closingLines } from "./support/skipped-reporter.ts";

const REDIS = "needs redis-server: apt-get install redis-server";

test("one line for each need with its count, other skipped tests by title, then the counts", () => {
  const { lines, idle } = closingLines(
    [
      { title: "a", state: "passed" },
      { title: `fleet > b (${REDIS})`, state: "skipped" },
      { title: `fleet > c (twice) (${REDIS})`, state: "skipped" },
      { title: "d (not as root)", state: "skipped" },
      { title: "e", state: "failed" },
    ],
    1,
  );
  expect(lines).toEqual([`Skipped 2: ${REDIS}`, "Skipped 1: d (not as root)", "Tests: 1 passed, 2 failed, 3 skipped"]);
  expect(idle).toEqual(["d (not as root)"]);
});

test("where nothing was skipped there is one line", () => {
  expect(closingLines([{ title: `a (${REDIS})`, state: "passed" }], 0)).toEqual({
    lines: ["Tests: 1 passed, 0 failed, 0 skipped"],
    idle: [],
  });
});
