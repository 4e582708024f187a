import { expect, test } from "vitest";
import { createSkill } from "./create-skill.ts";

test("the same advice has the same id, whatever it rests on", () => {
  const here = createSkill("step", "Look.", [{ trajectory: "a", steps: [1] }]);
  expect(createSkill("step", "Look.", []).id).toBe(here.id);
  expect(createSkill("episode", "Look.", []).id).not.toBe(here.id);
  expect(here.id).toMatch(/^[0-9a-f]{16}$/);
});
