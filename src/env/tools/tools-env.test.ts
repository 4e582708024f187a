import { describe, expect, test } from "vitest";
import { smallShop } from "../../../test/support/small-shop.ts";
import { tries } from "../../../test/support/thorough.ts";
import { createRng } from "../../base/index.ts";
import { type JsonObject, scored, type Task } from "../../trajectory/index.ts";
import { envContract } from "../env.contract.ts";
import type { Episode } from "../env.ts";
import { withTimeLimit } from "../with-time-limit.ts";
import { callAction } from "./action.ts";
import { DEMONSTRATORS } from "./expert.ts";
import { generateShop } from "./generate-database.ts";
import { generateTask } from "./generate-task.ts";
import { tools } from "./index.ts";
import { scenarioOf } from "./scenario.ts";
import { afterCall, afterMessage, createTools, POLICY_START, type PolicyState, policyViolations } from "./tools-env.ts";

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

const ADA: PolicyState = { ...POLICY_START, customer: "ada_dorn_1000" };
const agreed = (text: string): PolicyState => afterMessage(ADA, text, true);

function rules(state: PolicyState, name: string, args: JsonObject, output = "{}"): readonly string[] {
  return afterCall(state, smallShop(), { name, arguments: args, output }).violations;
}

describe("one call", () => {
  const cancel = { order_id: "#W1", reason: "no longer needed" };
  const back = { order_id: "#W2", item_ids: ["101"], payment_method_id: "card_a" };
  test.each<[string, PolicyState, string, JsonObject, readonly string[]]>([
    ["agreed and own", agreed("Cancel #W1?"), "cancel_pending_order", cancel, []],
    [
      "nobody identified",
      POLICY_START,
      "cancel_pending_order",
      cancel,
      ["write-before-authentication", "unconfirmed-write"],
    ],
    [
      "nobody identified, reading",
      POLICY_START,
      "get_order_details",
      { order_id: "#W1" },
      ["read-before-authentication"],
    ],
    ["products may be read by anyone", POLICY_START, "get_product_details", { product_id: "P1" }, []],
    ["no yes", ADA, "cancel_pending_order", cancel, ["unconfirmed-write"]],
    ["a yes to another order", agreed("Cancel #W4?"), "cancel_pending_order", cancel, ["unconfirmed-write"]],
    ["someone else's order", ADA, "get_order_details", { order_id: "#W9" }, ["another-customer"]],
    [
      "someone else's order, changed",
      agreed("#W9?"),
      "cancel_pending_order",
      { ...cancel, order_id: "#W9" },
      ["another-customer"],
    ],
    ["someone else's account", ADA, "get_user_details", { user_id: "bela_haas_1004" }, ["another-customer"]],
    ["items changed before", agreed("#W4?"), "modify_pending_order_items", { order_id: "#W4" }, ["second-item-change"]],
    ["back in time", agreed("#W2?"), "return_delivered_order_items", back, []],
    ["back too late", agreed("#W3?"), "return_delivered_order_items", { ...back, order_id: "#W3" }, ["late-return"]],
    [
      "refund to a gift card",
      agreed("#W2?"),
      "return_delivered_order_items",
      { ...back, payment_method_id: "gift_a" },
      [],
    ],
    [
      "refund elsewhere",
      agreed("#W2?"),
      "return_delivered_order_items",
      { ...back, payment_method_id: "paypal_a" },
      ["refund-elsewhere"],
    ],
    ["a hand-over needs no yes", ADA, "transfer_to_human", { summary: "x" }, []],
  ])("%s", (_, state, name, args, expected) => expect(rules(state, name, args)).toEqual(expected));

  test("a yes ends with the next message and covers each change once", () => {
    const call = { name: "cancel_pending_order", arguments: cancel, output: "{}" };
    const once = afterCall(agreed("#W1?"), smallShop(), call);
    expect(once.violations).toEqual([]);
    expect(afterCall(once.state, smallShop(), call).violations).toEqual(["unconfirmed-write"]);
    expect(afterCall(afterMessage(agreed("#W1?"), "Thanks", false), smallShop(), call).violations).toHaveLength(1);
  });
  test("identifying a second customer", () => {
    const found = (id: string) => ({
      name: "find_user_by_email",
      arguments: {},
      output: JSON.stringify({ user_id: id }),
    });
    const first = afterCall(POLICY_START, smallShop(), found("ada_dorn_1000"));
    expect([first.state.customer, first.violations]).toEqual(["ada_dorn_1000", []]);
    expect(afterCall(first.state, smallShop(), found("ada_dorn_1000")).violations).toEqual([]);
    expect(afterCall(first.state, smallShop(), found("bela_haas_1004")).violations).toEqual(["second-customer"]);
  });
});

/** The expert's actions on the first task of a family. */
async function expertRun(
  family: string,
  fits: (task: Task) => boolean = () => true,
): Promise<{ task: Task; actions: string[] }> {
  const env = createTools();
  for await (const task of env.tasks("train", { count: 500 })) {
    if (scenarioOf(task).family !== family || !fits(task)) continue;
    const episode = await env.open(task);
    const expert = DEMONSTRATORS.expert.start(task, createRng(0));
    const actions: string[] = [];
    while (episode.ending === undefined) {
      const action = expert.next({ action: actions.at(-1), observation: episode.observation });
      actions.push(action);
      await episode.step(action);
    }
    return { task, actions };
  }
  throw new Error(`no task of family ${family}`);
}

describe("planted violations in whole conversations are found", () => {
  const check = (task: Task, actions: readonly string[]) =>
    policyViolations({ task, steps: actions.map((action, index) => ({ index, action })) });

  test("the expert's own run is clean", async () => {
    const { task, actions } = await expertRun("cancel");
    expect(await check(task, actions)).toEqual([]);
  });
  test("a write before authentication, and without a yes", async () => {
    const { task, actions } = await expertRun("cancel");
    const write = actions.find((action) => action.includes("cancel_pending_order"))!;
    expect(await check(task, [write])).toEqual([
      { step: 0, rule: "write-before-authentication", action: write },
      { step: 0, rule: "unconfirmed-write", action: write },
    ]);
  });
  test("the step says in words what was broken", async () => {
    const { task, actions } = await expertRun("cancel");
    const episode = await createTools().open(task);
    const { info } = await episode.step(actions.find((action) => action.includes("cancel_pending_order"))!);
    expect(info?.["brokenRules"]).toEqual([
      "Something was changed before the customer was identified.",
      "Something was changed without a yes to a message that names it.",
    ]);
  });
  test("a write without a yes: the question taken out", async () => {
    const { task, actions } = await expertRun("cancel");
    const silent = actions.filter((action) => !action.includes("(yes/no)"));
    expect((await check(task, silent)).map(({ rule }) => rule)).toEqual(["unconfirmed-write"]);
  });
  test("another customer's order", async () => {
    const { task, actions } = await expertRun("refusal", (task) =>
      JSON.stringify(task.data).includes("name of a friend of mine"),
    );
    const order = /#W\d{7}/.exec(JSON.stringify(scenarioOf(task).requests[0]))![0];
    const decline = actions.findIndex((action) => action.includes("I cannot"));
    const looked = [...actions.slice(0, decline), callAction("get_order_details", { order_id: order })];
    expect((await check(task, looked)).map(({ rule, step }) => [rule, step])).toEqual([["another-customer", decline]]);
  });
  test("a second change of the same order's items", async () => {
    // The old variant must be in stock, or the tool refuses to change back.
    const swaps = (task: Task): boolean => {
      const { reference, shop } = scenarioOf(task);
      const call = reference.find(({ name }) => name === "modify_pending_order_items");
      const variants = [...generateShop(shop!).products.values()].flatMap((product) => product.variants);
      const old = call?.arguments["item_ids"] as string[] | undefined;
      return old?.every((id) => variants.some((variant) => variant.item_id === id && variant.available)) === true;
    };
    const { task, actions } = await expertRun("modify", swaps);
    const at = actions.findIndex((action) => action.includes("modify_pending_order_items"));
    const {
      order_id: order,
      item_ids: old,
      new_item_ids: fresh,
      payment_method_id: method,
    } = JSON.parse(actions[at]!).arguments;
    const back = { order_id: order, item_ids: fresh, new_item_ids: old, payment_method_id: method };
    const again = [
      ...actions.slice(0, at + 1),
      `Shall I change order ${order} back? (yes/no)`,
      callAction("modify_pending_order_items", back),
    ];
    const found = await check(task, again);
    expect(found.map(({ rule }) => rule)).toEqual(["second-item-change"]);
  });
});
