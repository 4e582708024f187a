import { expect, test } from "vitest";
import { createSkill, skillRows } from "./create-skill.ts";
import type { Analysis } from "./skill.ts";

test("the same advice has the same id, whatever it rests on", () => {
  const here = createSkill("step", "Look.", [{ trajectory: "a", steps: [1] }]);
  expect(createSkill("step", "Look.", []).id).toBe(here.id);
  expect(createSkill("episode", "Look.", []).id).not.toBe(here.id);
  expect(here.id).toMatch(/^[0-9a-f]{16}$/);
});

test("rows for the store: the episode skill, then step skills in the order written", () => {
  const episode = createSkill("episode", "Be quick.", [{ trajectory: "a", steps: [0, 1] }]);
  const late = createSkill("step", "Stop.", [{ trajectory: "a", steps: [9] }]);
  const early = createSkill("step", "Go.", [{ trajectory: "b", steps: [2] }]);
  const analysis: Analysis = {
    trajectory: "a",
    outcome: "failure",
    episodeSummary: "It was slow.",
    episodeSkill: episode,
    stepSkills: new Map([
      [9, late],
      [2, early],
    ]),
  };
  expect(skillRows(analysis, "statistics")).toEqual([
    {
      id: episode.id,
      level: "episode",
      text: "Be quick.",
      trajectory: "a",
      data: {
        analyst: "statistics",
        outcome: "failure",
        evidence: [{ trajectory: "a", steps: [0, 1] }],
        summary: "It was slow.",
      },
    },
    expect.objectContaining({ id: late.id, step: 9, data: expect.objectContaining({ rank: 0 }) }),
    expect.objectContaining({ id: early.id, step: 2, data: expect.objectContaining({ rank: 1 }) }),
  ]);
  expect(skillRows({ trajectory: "a", outcome: "unknown", stepSkills: new Map() }, "model")).toEqual([]);
});
