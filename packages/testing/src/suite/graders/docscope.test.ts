import { expect, test } from "vitest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { GraderTools } from "../grader.ts";
import { docscope, LEVELS } from "./docscope.ts";

const answer = { lines: "p2:3, p4:1-2", fact: "The ink is kept in room 84.", answer: "84" };
const levelsOf = async (action: string): Promise<readonly number[]> => {
  const trajectory = { steps: [{ index: 0, action }] } as unknown as Trajectory;
  const grades = LEVELS.map(
    async (level) => await docscope.grade({ trajectory, answer, prompt: "" }, { level }, {} as GraderTools),
  );
  return (await Promise.all(grades)).map(({ score }) => (score.kind === "scored" ? score.value : -1));
};

test.each([
  ["the ink is  kept in room 84. [p2:3] [p4:1, p4:2] #### 84", [1, 1, 1, 1]],
  ["The ink is kept in room 84. [p2:4] [p4:1] #### 84", [1, 0, 1, 1]],
  ["Room 84 is cold. [p1:3] #### 84", [0, 0, 0, 1]],
  ["The ink is kept in room 84. [p2:3] [p4:1-2] #### 48", [1, 1, 1, 0]],
  ["", [0, 0, 0, 0]],
])("levels by hand: %s", async (said, levels) => {
  expect(await levelsOf(said)).toEqual(levels);
});

test("another answer is refused", () => {
  expect(docscope.check?.({ lines: "p1:1" }, {})).toContain("lines, fact, answer");
});
