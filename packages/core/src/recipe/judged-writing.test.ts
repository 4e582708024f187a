import { expect, test } from "vitest";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { judgeWriting, newlyWritten, waitingFromJson, waitingToJson, type WaitingRow } from "./skill1.ts";

const row = (trajectory: string): TrainRow => ({
  ids: Int32Array.of(1, 2, 3),
  mask: Uint8Array.of(0, 1, 1),
  trajectory,
  advantages: new Float64Array(3),
  oldLogprobs: Float64Array.of(0, -1, -2),
});
const waits = (skill: number): WaitingRow => ({ skill, row: row(`episode ${skill}`), update: 1 });
const use = (chosen: number | undefined, outcome: number) => ({ chosen, outcome });

test("what was written is worth how those fare who use it, against all episodes of the update", () => {
  // Six episodes, three solved: 0.5 in the mean. Skill 1: 1 and 1, so 0.5 better; skill 2: 0, so 0.5 worse; skill 3: 0.5.
  const visits = [use(1, 1), use(1, 1), use(2, 0), use(3, 1), use(3, 0), use(undefined, 0)];
  const { rows, skills, waiting } = judgeWriting([waits(1), waits(2), waits(3), waits(4)], visits, 0.3);
  expect(rows.map(({ trajectory, advantages }) => [trajectory, ...(advantages ?? [])])).toEqual([
    ["episode 1", 0, 0.15, 0.15],
    ["episode 2", 0, -0.15, -0.15],
  ]);
  expect(skills).toBe(3);
  // Nobody has used the fourth yet.
  expect(waiting.map(({ skill }) => skill)).toEqual([4]);
});

test("only skills that are new on the shelf wait, each with the tokens that wrote it", () => {
  const skill = (id: number, text: string) => ({ id, scenario: "mend", text, utility: 1, uses: 0 });
  const [before, after] = [
    { skills: [skill(1, "glue")], next: 2 },
    { skills: [skill(1, "glue"), skill(2, "saw")], next: 3 },
  ];
  const written = new Map([
    ["a", { scenario: "mend", text: "glue" }],
    ["b", { scenario: "mend", text: "saw" }],
  ]);
  const found = newlyWritten([row("a"), row("b")], written, before, after, 7);
  expect(found).toEqual([{ skill: 2, row: row("b"), update: 7 }]);
  expect(waitingFromJson(waitingToJson(found))).toEqual(found);
  expect(waitingFromJson(undefined)).toEqual([]);
});
