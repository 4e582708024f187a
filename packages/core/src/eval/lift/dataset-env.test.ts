import { expect, test } from "vitest";
import { createArms } from "./arms.ts";
import { datasetEnv, readDataset } from "./dataset-env.ts";
import { appendOnly, withOpening } from "../../walk/mind/prompter.ts";
import { createTextAgent } from "../../walk/mind/text-agent.ts";
import { sectionTemplates } from "../../skill/templates.ts";
import { skillOpening } from "../../skill/injection.ts";
import type { TextPolicy } from "limbeck-policy/policy/text-policy";
import type { Task } from "limbeck-base/trajectory/trajectory";

const rows = readDataset(
  '{"prompt": "Capital of France?", "answer": "Paris"}\n\n{"id": "x", "prompt": "2 + 2?", "answer": "4"}\n',
  "f",
);

test("lines become questions; what is no question is named", () => {
  expect(rows.map(({ id }) => id)).toEqual(["1", "x"]);
  expect(() => readDataset('{"prompt": 1}', "f.jsonl")).toThrow(/Line 1 of f\.jsonl/);
  expect(() => readDataset("nonsense", "f")).toThrow(/Line 1/);
  expect(() => readDataset("", "f")).toThrow(/no lines/);
});

test("an answer that holds the expected one is right; a judge that fails leaves it unscored", async () => {
  const env = datasetEnv(rows);
  const [task] = [...(env.tasks("all") as Iterable<Task>)];
  const ask = async (world: typeof env, answer: string): Promise<boolean | null> => {
    const episode = await world.open(task as Task);
    return (await episode.step(answer)).success;
  };
  expect(await ask(env, "It is PARIS, of course.")).toBe(true);
  expect(await ask(env, "Parisian life")).toBe(false);
  expect(
    await ask(
      datasetEnv(rows, () => Promise.reject(new Error("503"))),
      "Paris",
    ),
  ).toBeNull();
});

test("arms: the same question with and without a text; what was asked once is not asked again", async () => {
  let asked = 0;
  const policy = {
    ref: { name: "echo" },
    open: () => {
      const messages: { role: "user"; content: string }[] = [];
      return {
        messages,
        extend: (more: readonly { role: string; content: string }[]) => messages.push(...(more as never[])),
        sample: () => {
          asked += 1;
          return Promise.resolve({ text: messages.at(-1)?.content ?? "", usage: {}, version: 0, ending: "stop" });
        },
        fork: () => undefined,
        close: () => undefined,
      } as never;
    },
    close: () => Promise.resolve(),
  } as unknown as TextPolicy;
  const env = datasetEnv(rows);
  const tasks = [...(env.tasks("all") as Iterable<Task>)];
  const run = createArms({
    env,
    seed: 0,
    agentWith: (textFor) =>
      createTextAgent({
        policy,
        prompting: withOpening(appendOnly, skillOpening(textFor, { template: sectionTemplates.compact })),
      }),
  });
  expect(await run(tasks, () => undefined)).toEqual([0, 0]);
  expect(await run(tasks, ({ id }) => (id === "x" ? "The answer is 4." : undefined))).toEqual([0, 1]);
  expect(asked).toBe(3);
});
