import { expect, test } from "vitest";
import { oneTask, openUpdate, smallModel } from "../../../../test/support/recipe-bench.ts";
import type { Conversation, SampleOptions } from "limbeck-policy/policy/policy";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { plainForm } from "../walk/mind/action-form.ts";
import { appendOnly, withOpening } from "../walk/mind/prompter.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { skillOpening } from "../skill/injection.ts";
import { injectionOf, tellingSkills } from "./agent.ts";
import { collect } from "./collect.ts";
import { credit } from "./credit.ts";

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
  const prompting = withOpening(
    appendOnly,
    skillOpening(tellingSkills({ heat: "This worked: go to stove 1." }), injectionOf({})),
  );
  const first = prompting(task("heat"), plainForm).show(moment(0));
  expect(first.message.text).toContain("Skill: [This worked: go to stove 1.]");
  expect(first.next.show(moment(1)).message.text).toBe("You see a mug.");
  expect(prompting(task("cool"), plainForm).show(moment(0)).message.text).toBe(moment(0).observation);
});

/** The model, and what each of its conversations is asked. */
async function listening(): Promise<{ readonly model: LocalModel; readonly asked: SampleOptions[] }> {
  const inner = await smallModel();
  const asked: SampleOptions[] = [];
  const heard = (conversation: Conversation): Conversation => ({
    get tokens() {
      return conversation.tokens;
    },
    extend: (ids) => conversation.extend(ids),
    sample: (options) => {
      asked.push(options);
      return conversation.sample(options);
    },
    fork: (label) => heard(conversation.fork(label)),
    close: () => conversation.close(),
  });
  const model = new Proxy(inner, {
    get: (target, name) => {
      if (name === "open") return (options?: object) => heard(inner.open(options));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { model, asked };
}

test.each(["remax", "mc-critic"])(
  "whoever plays for %s answers as the policy does: confined to what is listed",
  async (method) => {
    const { model, asked } = await listening();
    const { update } = await openUpdate("skill1", { credit: method, model, collect: oneTask });
    await credit(update, await collect(update));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every(({ allowed }) => allowed !== undefined)).toBe(true);
    await model.close();
  },
);
