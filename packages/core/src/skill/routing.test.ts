import { expect, test } from "vitest";
import { selectTeacherSources, type TeacherMode } from "./routing.ts";

const yes = true;
const no = false;

// [mode, step skill, episode weight, step weight] -> [episode, step]
test.each<[TeacherMode, string | undefined, number, number, boolean, boolean]>([
  // Both weights above 0: the published truth table.
  ["step_priority", "a", 0.001, 0.001, no, yes],
  ["step_priority", undefined, 0.001, 0.001, yes, no],
  ["step_priority", " \n", 0.001, 0.001, yes, no],
  ["additive", "a", 0.001, 0.001, yes, yes],
  ["additive", undefined, 0.001, 0.001, yes, no],
  ["additive", "", 0.001, 0.001, yes, no],
  // No step weight: the episode skill everywhere.
  ["step_priority", "a", 1, 0, yes, no],
  ["additive", "a", 1, 0, yes, no],
  // No episode weight: only critical steps.
  ["step_priority", "a", 0, 1, no, yes],
  ["step_priority", undefined, 0, 1, no, no],
  ["additive", "a", 0, 1, no, yes],
  // One prompt with both skills is the step's teacher.
  ["both_at_once", "a", 1, 1, no, yes],
  ["both_at_once", undefined, 1, 1, yes, no],
  ["episode_only", "a", 1, 1, yes, no],
  ["step_only", "a", 1, 1, no, yes],
  ["step_only", undefined, 1, 1, no, no],
])("%s, skill %j, weights %d and %d", (mode, skill, episodeWeight, stepWeight, useEpisode, useStep) => {
  expect(selectTeacherSources(skill, { episodeWeight, stepWeight, mode })).toEqual({ useEpisode, useStep });
});

test("critical first unless told, and unknown modes are refused", () => {
  expect(selectTeacherSources("a", { episodeWeight: 1, stepWeight: 1 })).toEqual({ useEpisode: no, useStep: yes });
  const mode = "step_first" as TeacherMode;
  expect(() => selectTeacherSources("a", { episodeWeight: 1, stepWeight: 1, mode })).toThrow(/No teacher mode/);
});
