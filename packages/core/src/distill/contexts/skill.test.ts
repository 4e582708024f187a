import { expect, test } from "vitest";
import { episodeOf, tellEach } from "../../../../../test/support/context-bench.ts";
import type { Analysis } from "../../skill/skill.ts";

test("what the analyst wrote, as it is", async () => {
  const analysis: Analysis = { trajectory: "a", outcome: "failure", stepSkills: new Map() };
  const told = await tellEach("skill", [episodeOf("a", [{ action: "x" }])], {
    sources: { analyse: () => Promise.resolve(new Map([["a", analysis]])) },
  });
  expect(told).toEqual([analysis]);
});
