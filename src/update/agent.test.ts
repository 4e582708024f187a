import { expect, test } from "vitest";
import { plainForm } from "../rollout/index.ts";
import type { Task } from "../trajectory/index.ts";
import { skilledPrompting } from "../eval/lift/with-skill.ts";
import { appendOnly } from "../rollout/index.ts";
import { injectionOf, tellingSkills } from "./agent.ts";

const task = (family: string): Task => ({
  id: family,
  env: "household",
  seed: 1,
  goal: "",
  split: "train",
  data: { family },
});
const moment = (step: number): Parameters<ReturnType<typeof appendOnly>["show"]>[0] => ({
  step,
  observation: step === 0 ? "You are in a room. Your task is to: put a mug on a shelf." : "You see a mug.",
  action: undefined,
  admissible: () => undefined,
});

test("the skill of a task's family stands in the opening, and only there", () => {
  const prompting = skilledPrompting(
    appendOnly,
    tellingSkills({ heat: "This worked: go to stove 1." }),
    injectionOf({}),
  );
  const first = prompting(task("heat"), plainForm).show(moment(0));
  expect(first.message.text).toContain("Skill: [This worked: go to stove 1.]");
  expect(first.next.show(moment(1)).message.text).toBe("You see a mug.");
  expect(prompting(task("cool"), plainForm).show(moment(0)).message.text).toBe(moment(0).observation);
});
