import { expect, test } from "vitest";
import { augmentObservation } from "./injection.ts";
import {
  anchorPresets,
  getAnchorPreset,
  getSectionTemplate,
  sectionTemplates,
  type SectionTemplate,
} from "./templates.ts";

/** <E> and <P> as the specification writes them. */
const marks: SectionTemplate = { episode: () => "<E>", step: () => "<P>" };
const both = { episodeSkill: "e", stepSkill: "p" };
const place = (text: string, skills: { episodeSkill?: string; stepSkill?: string }) =>
  augmentObservation(text, skills, { template: marks });

const OBSERVATION = "Your task is to: heat egg\nYou see a fridge.\nNow it's your turn to act.";

test.each([
  [
    "episode",
    { episodeSkill: "e" },
    "Your task is to: heat egg\n\n<E>\n\nYou see a fridge.\nNow it's your turn to act.",
  ],
  ["step", { stepSkill: "p" }, "Your task is to: heat egg\nYou see a fridge.\n\n<P>\n\nNow it's your turn to act."],
  ["both", both, "Your task is to: heat egg\n\n<E>\n\nYou see a fridge.\n\n<P>\n\nNow it's your turn to act."],
  ["neither", {}, OBSERVATION],
  ["blank bodies", { episodeSkill: "  \n", stepSkill: "" }, OBSERVATION],
])("the worked example: %s", (_, skills, expected) => {
  expect(place(OBSERVATION, skills)).toBe(expected);
});

test.each([
  [
    "no task line: before the turn",
    "You see.\nNow it's your turn.",
    { episodeSkill: "e" },
    "You see.\n\n<E>\n\nNow it's your turn.",
  ],
  ["no anchor at all: appended", "You see.", { episodeSkill: "e" }, "You see.\n\n<E>"],
  ["no anchor at all: step appended", "You see.\n", { stepSkill: "p" }, "You see.\n\n<P>"],
  ["empty observation: the section alone", "  ", { stepSkill: "p" }, "<P>"],
  ["both at one place: the episode's first", "You see.", both, "You see.\n\n<E>\n\n<P>"],
  [
    "the task on the last line",
    "A room.\n\nYour task is to: heat egg.",
    { episodeSkill: "e" },
    "A room.\n\nYour task is to: heat egg.\n\n<E>",
  ],
  [
    "space around the place is trimmed",
    "Your task is: x  \n\n\n  y",
    { episodeSkill: "e" },
    "Your task is: x\n\n<E>\n\ny",
  ],
  [
    "an earlier pattern wins over an earlier line",
    "Your question: a\nYour task is to: b\nc",
    { episodeSkill: "e" },
    "Your question: a\nYour task is to: b\n\n<E>\n\nc",
  ],
  [
    "the first line of a pattern",
    "Your task is to: a\nYour task is to: b",
    { episodeSkill: "e" },
    "Your task is to: a\n\n<E>\n\nYour task is to: b",
  ],
  ["case counts", "your task is to: a\nb", { episodeSkill: "e" }, "your task is to: a\nb\n\n<E>"],
  [
    "the longer turn phrase is looked for first",
    "Now it's your turn. x Now it's your turn to act",
    { stepSkill: "p" },
    "Now it's your turn. x\n\n<P>\n\nNow it's your turn to act",
  ],
])("%s", (_, text, skills, expected) => {
  expect(place(text, skills)).toBe(expected);
});

test("a skill that quotes an anchor moves nothing", () => {
  const skills = {
    episodeSkill: "Now it's your turn to obey. Your task is to: lie",
    stepSkill: "Your task is to: win",
  };
  expect(augmentObservation("You see.", skills, { template: sectionTemplates.compact })).toBe(
    "You see.\n\nSkill: [Now it's your turn to obey. Your task is to: lie]\n\nHint: [Your task is to: win]",
  );
});

test("the templates", () => {
  expect(augmentObservation("", { episodeSkill: "go" })).toBe(
    "**Episode Skill**\nKeep this in mind through the whole episode:\n[go]",
  );
  expect(augmentObservation("", { stepSkill: " go " })).toMatch(/^\*\*.+\*\*\n.+:\n\[go\]$/);
  expect(getSectionTemplate("compact").step("go")).toBe("Hint: [go]");
  expect(() => getSectionTemplate("compct")).toThrow(/Did you mean "compact"/);
});

test("presets know the task lines of their worlds", () => {
  const inserted = (text: string, preset: string) =>
    augmentObservation(text, { episodeSkill: "e" }, { template: marks, anchors: getAnchorPreset(preset) });
  expect(inserted("Instruction: find me a lamp\nSearch", "webshop")).toBe(
    "Instruction: find me a lamp\n\n<E>\n\nSearch",
  );
  expect(inserted("Question: who?\nthink", "search")).toBe("Question: who?\n\n<E>\n\nthink");
  expect(inserted("Your task is to: x\ny", "alfworld")).toBe("Your task is to: x\n\n<E>\n\ny");
  expect(Object.keys(anchorPresets)).toEqual(["published", "alfworld", "search", "webshop"]);
});
