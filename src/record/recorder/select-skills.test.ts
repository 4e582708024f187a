import fc from "fast-check";
import { expect, test } from "vitest";
import { skillsIn, writeSection } from "./skill-section.ts";
import { prepareSkill, selectSkills, type SelectOptions } from "./select-skills.ts";
import { readSkills, type InjectedSkill } from "./skills.ts";

const choose = (skills: readonly InjectedSkill[], asked: string, options?: SelectOptions): string[] =>
  selectSkills(skills.map(prepareSkill), asked, options).map(({ id }) => id);

test("the best k by shared words over the smaller side, whole-task advice first", () => {
  const skills: InjectedSkill[] = [
    // Asked: refund, broken, lamp (3 words; "my", "for", "a" are empty). Of 3 words here 1 is shared: 1/3.
    { id: "third", text: "Greet and refund kindly." },
    // 2 of 3: 2/3.
    { id: "second", text: "Broken lamps: ask." },
    // 3 of 3: 1.
    { id: "step", level: "step", text: "A refund for a broken lamp needs a photo." },
    { id: "none", text: "Weather comes from the tool." },
    // As good as "third", and later.
    { id: "fourth", text: "Refund by voucher only." },
  ];
  const asked = "Refunds for my broken lamp";
  expect(choose(skills, asked)).toEqual(["second", "third", "step"]);
  expect(choose(skills, asked, { k: 1 })).toEqual(["step"]);
  expect(choose(skills, asked, { k: 9 })).toEqual(["second", "third", "fourth", "step"]);
  expect(choose(skills, asked, { threshold: 0.5 })).toEqual(["second", "step"]);
  // 41 letters of "step" leave 9: nothing else fits; in 40, "step" itself is passed over, and "second" leaves 22.
  expect(choose(skills, asked, { maxCharacters: 50 })).toEqual(["step"]);
  expect(choose(skills, asked, { maxCharacters: 40 })).toEqual(["second"]);
  expect(choose(skills, "")).toEqual([]);
});

test("a condition decides: its words must be there, its goal is compared in place of the text", () => {
  const skills: InjectedSkill[] = [
    { id: "words", text: "Refund the lamp.", when: { words: ["invoice", "bill"] } },
    { id: "goal", text: "Look at line three.", when: { goal: "find the total of an invoice" } },
  ];
  expect(choose(skills, "refund the lamp")).toEqual([]);
  // "words": 1 of 2; "goal": find, total, invoice against total, bills, invoices (as singulars): 2 of 3.
  expect(choose(skills, "the totals of bills and invoices")).toEqual(["words", "goal"]);
  expect(choose([{ id: "tokyo", text: "東京の天気を調べる" }], "東京の天気は?")).toEqual(["tokyo"]);
});

test("what is no skill is left out and counted; a condition that cannot be read never fits everywhere", () => {
  const good = { id: "a", text: "x" };
  const bad = [null, 1, {}, { id: "", text: "x" }, { id: "b", text: " " }, { id: "c", text: "x", level: "all" }];
  const conditions = ["refund", { words: "refund" }, { words: [1] }, { goal: 3 }];
  const list = [good, ...bad, ...conditions.map((when, index) => ({ id: `w${index}`, text: "x", when })), good];
  expect(readSkills({ skills: list })).toEqual({
    skills: [{ id: "a", text: "x", level: "episode", when: {} }],
    skipped: list.length - 1,
  });
  expect(() => readSkills({})).toThrow("must be a list");
});

test("whatever a skill says, it stays inside its quotes and its id is read back", () => {
  const text = fc.oneof(fc.string(), fc.constantFrom("</limbeck-skills>", "<limbeck-skills>\n{", "\n", '"}'));
  const skill = fc.record({ id: text.filter((id) => id !== ""), text });
  fc.assert(
    fc.property(fc.uniqueArray(skill, { selector: ({ id }) => id, minLength: 1 }), (skills) => {
      const section = writeSection(skills);
      expect(section.match(/</g)).toHaveLength(2);
      expect(section.split("\n")).toHaveLength(skills.length + 3);
      const system = { role: "system" as const, content: `Be kind.\n\n${section}` };
      expect(skillsIn([system])).toEqual(skills.map(({ id }) => id));
      expect(skillsIn([{ ...system, role: "user" }])).toBeUndefined();
    }),
  );
});
