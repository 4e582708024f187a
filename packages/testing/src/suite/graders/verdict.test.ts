import { expect, test } from "vitest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { GraderTools } from "../grader.ts";
import { verdict } from "./verdict.ts";

const queries = [{ ask: "look", holds: "^cancelled$" }];
const judged = async (by: string, last: string, success: boolean | null, shown = "pending") => {
  const trajectory = { success, steps: [{ index: 0, action: last }] } as unknown as Trajectory;
  const tools = { probe: () => Promise.resolve(shown) } as unknown as GraderTools;
  const options = { by, claim: String.raw`\bdone\b`, queries };
  return (await verdict.grade({ trajectory, answer: undefined, prompt: "" }, options, tools)).score;
};
const right = { kind: "scored", value: 1 };
const wrong = { kind: "scored", value: 0 };

test("a judge of the record believes a claim; one that asks does not", async () => {
  expect(await judged("record", "It is done.", false)).toEqual(wrong);
  expect(await judged("probe", "It is done.", false)).toEqual(right);
  expect(await judged("probe", "It is done.", true, "cancelled")).toEqual(right);
  expect(await judged("record", "I cannot.", false)).toEqual(right);
  expect(await judged("probe", "I cannot.", true, "cancelled")).toEqual(wrong);
});

test("where the world does not say, there is no score; a judge that asks needs queries", async () => {
  expect(await judged("probe", "done", null)).toMatchObject({ kind: "unscored" });
  expect(verdict.check?.(undefined, { by: "probe", claim: "done", queries: [] })).toContain("needs `queries`");
  expect(verdict.check?.(undefined, { by: "record", claim: "(", queries: [] })).toContain("no pattern");
});
