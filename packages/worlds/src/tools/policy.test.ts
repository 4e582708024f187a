import { describe, expect, test } from "vitest";
import { smallShop } from "../../../../test/support/small-shop.ts";
import { createRng } from "limbeck-base/base/rng";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { callAction } from "limbeck-base/trajectory/tool-action";
import { DEMONSTRATORS } from "./expert.ts";
import { generateShop } from "./generate-database.ts";
import { afterCall, afterMessage, POLICY_START, type PolicyState } from "./policy.ts";
import { createTools, policyViolations } from "./tools-env.ts";
import { scenarioOf } from "./scenario.ts";

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
