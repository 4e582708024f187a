import { expect, test } from "vitest";
import { corridorDialect, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { createRng } from "limbeck-base/base/rng";
import { createCorridor } from "../env/corridor.ts";
import type { Demonstrator } from "../env/expert.ts";
import { createSkill } from "../skill/create-skill.ts";
import type { Analysis } from "../skill/skill.ts";
import { SKILL_CONTROLS, controlSkills, type ControlRequest } from "./skill-control.ts";

/** Two episodes of task a, one of task b, each with a skill of its own; the first has advice for step 2 as well. */
async function example(kind: ControlRequest["kind"]): Promise<ReadonlyMap<string, Analysis>> {
  const { record, model } = await tryRecipe("grpo");
  await model.close();
  const groups = [...new Set(record.episodes.map(({ task }) => task.id))];
  const of = (group: string | undefined): typeof record.episodes =>
    record.episodes.filter(({ task }) => task.id === group);
  const episodes = [...of(groups[0]).slice(0, 2), ...of(groups[1]).slice(0, 1)];
  const names = ["first", "second", "third"];
  const analyses = new Map(
    episodes.map(({ id }, at): [string, Analysis] => [
      id,
      {
        trajectory: id,
        outcome: "success",
        episodeSkill: createSkill("episode", `This worked: the ${names[at]} way.`, []),
        stepSkills: new Map(at === 0 ? [[2, createSkill("step", "Do this now: go east.", [])]] : []),
      },
    ]),
  );
  const solve = (): Promise<readonly string[]> => Promise.resolve(["go east", "go east"]);
  return await controlSkills(analyses, {
    kind,
    episodes,
    rng: createRng(1),
    dialect: corridorDialect,
    solve,
  });
}

const eastward: Demonstrator = { id: "eastward", summary: "Goes east.", start: () => ({ next: () => "go east" }) };

const texts = (found: ReadonlyMap<string, Analysis>): (string | undefined)[] =>
  [...found.values()].map(({ episodeSkill }) => episodeSkill?.text);

test("none leaves everything as it is", async () => {
  expect(texts(await example("none"))).toEqual([
    "This worked: the first way.",
    "This worked: the second way.",
    "This worked: the third way.",
  ]);
});

test("random: never the own skill; other-task: only that of another task", async () => {
  const random = texts(await example("random"));
  expect(random[0]).toMatch(/second|third/);
  expect(random[1]).toMatch(/first|third/);
  expect(random[2]).toMatch(/first|second/);
  const other = texts(await example("other-task"));
  // The first two share their task, so that only the third can lend; it borrows from either.
  expect(other.slice(0, 2)).toEqual(["This worked: the third way.", "This worked: the third way."]);
  expect(other[2]).toMatch(/first|second/);
});

test("a step skill that nobody else has is dropped rather than kept", async () => {
  const [first] = [...(await example("random")).values()];
  expect(first?.stepSkills.size).toBe(0);
});

test("empty: filler of the same length, at the same places", async () => {
  const plain = [...(await example("none")).values()];
  const [first, second] = [...(await example("empty")).values()];
  expect(first?.episodeSkill?.text).toMatch(/^so( so)*$/);
  // Tokens are bytes here, a word and its space are three: the nearest length is at most one away.
  for (const [at, found] of [first, second].entries()) {
    const wanted = plain[at]?.episodeSkill?.text.length ?? 0;
    expect(Math.abs((found?.episodeSkill?.text.length ?? 0) - wanted)).toBeLessThanOrEqual(1);
  }
  expect([...(first?.stepSkills.keys() ?? [])]).toEqual([2]);
});

test("oracle: the expert's way for every episode, and no advice for steps", async () => {
  const found = [...(await example("oracle")).values()];
  expect(found.map(({ episodeSkill }) => episodeSkill?.text)).toEqual([
    "This worked: go east; go east.",
    "This worked: go east; go east.",
    "This worked: go east; go east.",
  ]);
  expect(found.every(({ stepSkills }) => stepSkills.size === 0)).toBe(true);
});

test.each(SKILL_CONTROLS)("a whole update with %s learns", async (skillControl) => {
  const env = createCorridor({ rooms: 3, maxSteps: 5 });
  const { record, before, model } = await tryRecipe("opid", { given: { skillControl }, env, demonstrator: eastward });
  expect(record.taught?.opinions.size).toBeGreaterThan(0);
  expect(model.weights.flat).not.toEqual(before);
  await model.close();
});

test("an oracle without an expert is refused", async () => {
  await expect(tryRecipe("opid", { given: { skillControl: "oracle" }, demonstrator: undefined })).rejects.toThrow(
    /needs a world with an expert/,
  );
});

test("success only: failures are siblings, not pupils", async () => {
  const { record, model } = await tryRecipe("opid", { given: { successOnly: true } });
  const solved = record.episodes.filter(({ success }) => success === true).map(({ id }) => id);
  expect([...record.analyses.keys()].sort()).toEqual(solved.sort());
  await model.close();
});
