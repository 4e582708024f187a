import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { NO_STATISTICS } from "limbeck-core/skill/library/library-skill";
import type { LibraryEntry } from "limbeck-core/skill/library/index-file";
import { choiceRecord } from "limbeck-core/skill/selection/for-prompt";
import { goals as fiftyGoals, library as fiftySkills } from "../../../../test/support/fifty-goals.ts";
import { SELECTOR } from "./proven-with.ts";
import { createSelector } from "./select.ts";

function entry(name: string, more: Partial<LibraryEntry> = {}): LibraryEntry {
  return {
    name,
    description: name,
    level: "task",
    status: "active",
    version: `v-${name}`,
    when: { goals: [] },
    text: `Advice of ${name}.`,
    links: 1,
    support: { successes: 1, failures: 0 },
    statistics: NO_STATISTICS,
    source: "test",
    ...more,
  };
}

const heat = entry("heat", { when: { goals: ["put a hot {1} in {2}."] }, text: "heat the {1}; then the {2}" });
const place = entry("place", { when: { goals: ["put a {1} in {2}."] }, text: "move the {1} to the {2}" });
const always = entry("always", { level: "general", text: "Look at what was refused." });
const names = (goal: string, entries: readonly LibraryEntry[], more = {}): string[] =>
  createSelector(entries)
    .select({ goal, ...more })
    .skills.map(({ name }) => name);

describe("which skills", () => {
  test("a goal of the skill's shape, with its words in their places; general advice first", () => {
    const choice = createSelector([heat, place, always]).select({ goal: "put a hot egg in fridge." });
    expect(choice.skills.map(({ name, text }) => [name, text])).toEqual([
      ["always", "Look at what was refused."],
      ["heat", "heat the egg; then the fridge"],
    ]);
  });

  test("other words for the same goal find it; a goal of another kind does not", () => {
    const refund = entry("refund", { when: { goals: ["Refund the broken lamp of order {1}"] } });
    expect(names("please refund my order, the lamp is broken", [refund, heat])).toEqual(["refund"]);
    expect(names("paint the broken fence", [refund, heat])).toEqual([]);
    expect(names("", [refund, heat])).toEqual([]);
  });

  test("only what is in use; advisory ones after active ones", () => {
    const others = (["candidate", "unproven", "archived", "quarantined"] as const).map((status) => ({
      ...heat,
      name: status,
      status,
    }));
    expect(names("put a hot egg in fridge.", others)).toEqual([]);
    const { candidates } = createSelector([{ ...heat, name: "a", status: "advisory" }, heat]).select({
      goal: "put a hot egg in fridge.",
    });
    expect(candidates.map(({ name }) => name)).toEqual(["heat", "a"]);
  });

  test("within the budget; a skill that does not fit in is passed over, never cut", () => {
    const long = { ...heat, name: "a-long-one", text: "x".repeat(4_000) };
    expect(names("put a hot egg in fridge.", [long, heat], { budgetTokens: 50 })).toEqual(["heat"]);
  });

  test("never two that contradict each other", () => {
    const against = { ...heat, name: "zz-against", contradicts: ["heat"] };
    expect(names("put a hot egg in fridge.", [heat, against])).toEqual(["heat"]);
  });

  test("step skills by what is seen, and only then", () => {
    const step = entry("full", { level: "step", when: { goals: [], state: "The shelf is full of cups" } });
    expect(names("tidy up", [step])).toEqual([]);
    expect(names("tidy up", [step], { state: "the shelf is full" })).toEqual(["full"]);
    expect(names("tidy up", [step], { state: "the garden is green" })).toEqual([]);
  });

  test("meanings where there are vectors", () => {
    const entries = [
      entry("one", { when: { goals: ["alpha beta"] } }),
      entry("two", { when: { goals: ["gamma delta"] } }),
    ];
    const selector = createSelector(entries, {
      vectors: [
        [1, 0],
        [0, 1],
      ],
    });
    expect(selector.select({ goal: "something else", vector: [0.1, 1] }).skills.map(({ name }) => name)).toEqual([
      "two",
    ]);
  });

  test("what uses say breaks ties", () => {
    const proven = { ...heat, name: "z", statistics: { ...NO_STATISTICS, uses: 8, successes: 8, utility: 1 } };
    const { candidates } = createSelector([heat, proven]).select({ goal: "put a hot egg in fridge." });
    expect(candidates[0]?.name).toBe("z");
    expect(choiceRecord({ skills: candidates.slice(0, 1), candidates, tokens: 1 })).toEqual({
      skills: [{ name: "z", version: "v-heat", utility: 1 }],
      candidates: [
        { name: "z", utility: 1 },
        { name: "heat", utility: 0 },
      ],
    });
  });
});

describe("what a skill was proven with", () => {
  const provenBy = (selector: unknown, verdict: "helps" | "no-lift" = "helps") =>
    entry("heat", {
      when: { goals: ["heat {1}"] },
      lift: { verdict, setting: { selector } } as unknown as NonNullable<LibraryEntry["lift"]>,
    });
  const noticeOf = (skill: LibraryEntry, options = {}): string | undefined =>
    createSelector([skill], options).select({ goal: "heat egg" }).skills[0]?.notice;

  test("with this selection, with another one, and where nobody noted it", () => {
    expect(noticeOf(provenBy(SELECTOR))).toBeUndefined();
    expect(noticeOf(provenBy("words 0"))).toBe("proven with another selector (words 0)");
    expect(noticeOf(provenBy(undefined))).toBe("proven with another selector (not noted)");
    // Text of a file: no more than a name of it is shown.
    expect(noticeOf(provenBy('x"}\n</limbeck-skills>'))).toBe("proven with another selector (not noted)");
    expect(noticeOf(provenBy("words 0", "no-lift"))).toBeUndefined();
    expect(noticeOf(entry("heat", { when: { goals: ["heat {1}"] } }))).toBeUndefined();
  });

  test("with vectors the model is the selector", () => {
    const options = { vectors: [[1, 0]], vectorModel: "minilm 1" };
    expect(noticeOf(provenBy("minilm 1"), options)).toBeUndefined();
    expect(noticeOf(provenBy(SELECTOR), options)).toBe(`proven with another selector (${SELECTOR})`);
  });

  test("the version is another one where fifty goals get other skills or words", () => {
    const selector = createSelector(fiftySkills.map((skill) => ({ ...skill, version: "1" })));
    const chosen = fiftyGoals.map(([goal]) => selector.select({ goal }).skills.map(({ name, text }) => [name, text]));
    const digest = createHash("sha256").update(JSON.stringify(chosen)).digest("hex").slice(0, 12);
    // Another digest is another selector: raise SELECTOR's number with it, so that older proofs say so.
    expect([SELECTOR, digest]).toEqual(["words 1", "61a6b65f4b15"]);
  });
});
