import { describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { envContract } from "limbeck-core/env/env.contract";
import type { Episode } from "limbeck-core/env/env";
import { withTimeLimit } from "limbeck-core/env/with-time-limit";
import { callAction } from "limbeck-base/trajectory/tool-action";
import { generateShop } from "./generate-database.ts";
import { generateTask } from "./generate-task.ts";
import { tools } from "./index.ts";
import { scenarioOf } from "./scenario.ts";
import { createTools, outputShare, REWARD_FORMS, saidOutputs, says } from "./tools-env.ts";

/** Things an agent might do: talk, read, and the very writes that matter in this task. */
function candidates(episode: Episode): string[] {
  const { reference, identity } = scenarioOf(episode.task);
  const email = /\S+@example\.com/.exec(identity)?.[0].replace(/\.$/, "") ?? "nobody@example.com";
  return [
    "What is your e-mail address?",
    "Which order, which item, which payment method?",
    "Order done. Anything else?",
    "I cannot do that.",
    `Do you confirm ${JSON.stringify(reference)}? (yes/no)`,
    callAction("find_user_by_email", { email }),
    callAction("list_product_types", {}),
    ...reference.map((call) => callAction(call.name, call.arguments)),
  ];
}
const invalidActions = [
  "",
  "\u0000\u001b\u0007",
  "{",
  '{"name": "no_such_tool", "arguments": {}}',
  callAction("get_order_details", { order_id: "#W0" }),
  callAction("cancel_pending_order", { order_id: "#W0", reason: "boredom" }),
  "<tool_call>[]</tool_call>",
];

envContract({
  name: "tools",
  env: createTools(),
  runner: { describe, test },
  candidates,
  invalidActions,
  runs: tries(3, 12),
});

async function firstTask(family: string, env = createTools()): Promise<Task> {
  for await (const task of env.tasks("train", { count: 50 })) if (scenarioOf(task).family === family) return task;
  throw new Error(`no ${family}`);
}

describe("an episode", () => {
  test("opens with policy, tools and the customer; or with the customer alone", async () => {
    const task = await firstTask("cancel");
    const full = await createTools().open(task);
    expect(full.observation).toMatch(
      /identifying the customer[\s\S]*- cancel_pending_order\(order_id, reason\) \[write, cannot be undone\][\s\S]*\n\nCustomer: Hello\. /,
    );
    expect(full.tools).toHaveLength(16);
    expect(full.tools?.[0]).toMatchObject({ type: "function", function: { name: "find_user_by_email" } });
    const brief = await createTools({ opening: "dialogue" }).open(task);
    expect(brief.observation).toMatch(/^Customer: Hello\. /);
  });
  test("a mistake is explained, invalid, and changes nothing but the clock", async () => {
    const episode = await createTools().open(await firstTask("cancel"));
    const key = episode.stateKey;
    const unknown = await episode.step(callAction("cancel_pending_oder", {}));
    expect(unknown).toMatchObject({ valid: false, reward: scored(0), ending: undefined });
    expect(unknown.observation).toContain('Error: No tool "cancel_pending_oder". Did you mean "cancel_pending_order"?');
    const wrong = await episode.step(callAction("cancel_pending_order", { order_id: "\u001b[2J" }));
    expect(wrong.observation).toContain("Wrong arguments for cancel_pending_order");
    const escaped = await episode.step(callAction("get_order_details", { order_id: "\u001b[2J" }));
    expect(escaped.observation).toBe('Error: No order "\uFFFD[2J".');
    expect(episode.stateKey).toBe(key);
  });
  test("is cut off after its steps, unrewarded", async () => {
    const episode = await createTools({ maxSteps: 3 }).open(await firstTask("information"));
    for (let step = 0; step < 3; step += 1) await episode.step("What is your e-mail?");
    expect([episode.ending, episode.reward, episode.success]).toEqual(["truncated", scored(0), false]);
  });
  test("a hand-over ends it: right where only a person can help, wrong elsewhere", async () => {
    const play = async (family: string): Promise<unknown[]> => {
      const episode = await createTools({ reward: "partial" }).open(await firstTask(family));
      const { info } = await episode.step(callAction("transfer_to_human", { summary: "help" }));
      return [episode.ending, episode.success, episode.reward, info?.["parts"]];
    };
    expect(await play("handover")).toEqual(["terminated", true, scored(1), { state: 1, outputs: 1, policy: 1 }]);
    // 0.5 x 0 + 0.25 x 1 (none required) + 0.25 x 1
    expect(await play("cancel")).toEqual(["terminated", false, scored(0.5), { state: 0, outputs: 1, policy: 1 }]);
  });
  test.each(["I am sorry, I cannot do that.", "It is done. Anything else?"])(
    "always saying %j earns nothing",
    async (text) => {
      const env = createTools();
      for await (const task of env.tasks("train", { count: tries(18, 45) })) {
        const episode = await env.open(task);
        while (episode.ending === undefined) await episode.step(text);
        expect([task.id, episode.success]).toEqual([task.id, false]);
      }
    },
  );
  test("equal states have equal keys, whatever way led there", async () => {
    const env = createTools();
    const task = await firstTask("cancel");
    const [one, two] = [await env.open(task), await env.open(task)];
    await one.step("{");
    for (const episode of [one, two]) await episode.step("Your e-mail, please?");
    expect(one.stateKey).toBe(two.stateKey);
    await one.step(callAction("list_product_types", {}));
    expect(one.stateKey).not.toBe(two.stateKey);
  });
});

describe("tasks", () => {
  test("do not depend on what was listed before", async () => {
    const shop = { seed: 2, remainder: 1 };
    const task = generateTask("tools", { split: "valid", index: 130, shop }, generateShop(shop));
    const [listed] = createTools().tasks("valid", { offset: 130, count: 1 }) as Iterable<Task>;
    expect(listed).toEqual(task);
  });
  test("say nothing of the hidden wish in what an agent may see", async () => {
    for await (const task of createTools().tasks("test", { count: 20 })) {
      expect(task.goal).toBe("Serve the customer by the policy of the shop.");
    }
  });
  test("bad ones are refused with the reason", async () => {
    const env = createTools();
    const task = await firstTask("cancel");
    await expect(env.open({ ...task, data: {} })).rejects.toMatchObject({ code: "bad-task" });
    await expect(env.open({ ...task, data: { scenario: { ...scenarioOf(task), requests: [] } } })).rejects.toThrow(
      /requests/,
    );
    const wrong = [{ name: "cancel_pending_order", arguments: { order_id: "#W0", reason: "no longer needed" } }];
    await expect(env.open({ ...task, data: { scenario: { ...scenarioOf(task), reference: wrong } } })).rejects.toThrow(
      /reference call "cancel_pending_order" is refused by the shop: No order "#W0"/,
    );
    await expect(env.open({ ...task, data: { scenario: { ...scenarioOf(task), shop: null } } })).rejects.toThrow(
      /names no shop/,
    );
    expect(() => [...(env.tasks("tain") as Iterable<Task>)]).toThrow(/Did you mean "train"/);
  });
  test("your own can replace the generated ones", async () => {
    const task = await firstTask("cancel");
    const env = createTools({ tasks: { mine: [task] } });
    expect([env.splits, [...(env.tasks("mine") as Iterable<Task>)]]).toEqual([{ mine: 1 }, [task]]);
  });
});

test("the world's options are checked", async () => {
  expect((await tools.create({ maxSteps: 5, reward: "partial" })).maxSteps).toBe(5);
  await expect(tools.create({ reward: "some" })).rejects.toMatchObject({ code: "bad-option" });
  await expect(tools.create({ steps: 3 })).rejects.toThrow(/steps/);
});

test("calls of tools that nothing undoes cannot be taken back; reads, messages and other writes can", async () => {
  const episode = await withTimeLimit(createTools(), 5).open(await firstTask("cancel"));
  const asked = (name: string): boolean | Promise<boolean> | undefined => episode.irreversible?.(callAction(name, {}));
  expect(asked("cancel_pending_order")).toBe(true);
  expect(asked("modify_user_address")).toBe(false);
  expect(asked("get_order_details")).toBe(false);
  expect(asked("no_such_tool")).toBe(false);
  expect(episode.irreversible?.("Please cancel it.")).toBe(false);
});

describe("an output is said", () => {
  test.each([
    ["That is $24.50.", "24.50", true],
    ["That is 24.5 dollars", "24.50", true],
    ["That is 1,024.50", "1024.50", true],
    ["That is 124.50", "24.50", false],
    ["That is 24.501", "24.50", false],
    ["That is 24", "24.50", false],
    ["Your code is tr1234.", "TR1234", true],
    ["Your code is TR12345.", "TR1234", false],
    ["XTR1234 TR1234", "TR1234", true],
    ["", "TR1234", false],
    ["1,2,3", "3", true],
  ])("%j says %j: %j", (message, output, said) => expect(says(message, output)).toBe(said));
  test("over several messages", () => {
    const outputs = ["1", "2", "TR9"];
    const first = saidOutputs("It is 2.", outputs, 0);
    expect([first, saidOutputs("TR9", outputs, first)]).toEqual([0b010, 0b110]);
    expect(outputShare(outputs, 0b110)).toBeCloseTo(2 / 3);
    expect(outputShare([], 0)).toBe(1);
  });
});

describe("the reward", () => {
  test("exact: all or nothing, whatever the policy", () => {
    expect(REWARD_FORMS.exact({ state: 1, outputs: 1, policy: 0 })).toBe(1);
    expect(REWARD_FORMS.exact({ state: 1, outputs: 0.5, policy: 1 })).toBe(0);
    expect(REWARD_FORMS.exact({ state: 0, outputs: 1, policy: 1 })).toBe(0);
  });
  test("partial: 0.5 state, 0.25 outputs, 0.25 policy", () => {
    expect(REWARD_FORMS.partial({ state: 1, outputs: 0.5, policy: 0 })).toBe(0.625); // 0.5 + 0.125
    expect(REWARD_FORMS.partial({ state: 0, outputs: 1, policy: 1 })).toBe(0.5);
    expect(REWARD_FORMS.partial({ state: 1, outputs: 1, policy: 1 })).toBe(1);
  });
});
