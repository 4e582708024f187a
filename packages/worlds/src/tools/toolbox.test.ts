import { describe, expect, test } from "vitest";
import { smallShop } from "../../../../test/support/small-shop.ts";
import type { JsonObject } from "limbeck-base/base/json";
import type { Database } from "./database.ts";
import { callTool, TOOL_DEFINITIONS } from "./toolbox.ts";

function done(database: Database, name: string, args: JsonObject): Database {
  const result = callTool(database, name, args);
  if (!result.ok) throw new Error(result.reason);
  return result.database;
}
function output(name: string, args: JsonObject): unknown {
  const result = callTool(smallShop(), name, args);
  return result.ok ? result.output : undefined;
}
function refusal(name: string, args: JsonObject, database = smallShop()): string {
  const result = callTool(database, name, args);
  return result.ok ? "" : result.reason;
}
const balance = (database: Database): number | undefined => {
  const gift = database.user("ada_dorn_1000")?.payment_methods.find((method) => method.source === "gift_card");
  return gift?.source === "gift_card" ? gift.balance_cents : undefined;
};

describe("reading", () => {
  test("finds a customer by e-mail in any case, by name and zip, or says there is none", () => {
    expect(output("find_user_by_email", { email: " ADA@example.com " })).toEqual({ user_id: "ada_dorn_1000" });
    expect(output("find_user_by_email", { email: "no@example.com" })).toEqual({ user_id: null });
    const name = { first_name: "bela", last_name: "HAAS" };
    expect(output("find_user_by_name_zip", { ...name, zip: "11111" })).toEqual({ user_id: "bela_haas_1004" });
    expect(output("find_user_by_name_zip", { ...name, zip: "22222" })).toEqual({ user_id: null });
  });
  test("shows money in dollars", () => {
    // 4000 + 7050 = 11050 cents
    expect(output("get_order_details", { order_id: "#W1" })).toMatchObject({
      items: [{ price: 40 }, { price: 70.5 }],
      payments: [{ kind: "payment", amount: 110.5, payment_method_id: "card_a" }],
    });
    expect(output("get_user_details", { user_id: "ada_dorn_1000" })).toMatchObject({
      payment_methods: [{}, {}, { id: "gift_a", source: "gift_card", balance: 5 }],
    });
    expect(output("get_item_details", { item_id: "104" })).toMatchObject({
      price: 41,
      available: false,
      name: "Desk Lamp",
    });
    expect(output("get_product_details", { product_id: "P2" })).toMatchObject({
      variants: [{ price: 70.5 }, { price: 70 }],
    });
    expect(output("list_product_types", {})).toEqual({ Backpack: "P2", "Desk Lamp": "P1" });
  });
  test.each([
    ["1.10 + 2.20", 3.3],
    ["2 * (3 - 5) / 4", -1],
    ["-(1 + 2) * 3", -9],
    ["10 / 4 / 5", 0.5],
  ])("calculates %s", (expression, value) => expect(output("calculate", { expression })).toEqual({ value }));
  test.each(["", "1 +", "(1", "1 / 0", "2 ** 3", "process.exit()", "(".repeat(900), "1 2"])(
    "refuses to calculate %j",
    (expression) => expect(refusal("calculate", { expression })).not.toBe(""),
  );
});

describe("writing", () => {
  test("cancelling refunds the whole amount the way it came", () => {
    const after = done(smallShop(), "cancel_pending_order", { order_id: "#W1", reason: "no longer needed" });
    expect(after.order("#W1")).toMatchObject({
      status: "cancelled",
      cancel_reason: "no longer needed",
      payments: [{ kind: "payment" }, { kind: "refund", amount_cents: 11_050, payment_method_id: "card_a" }],
    });
    expect(refusal("cancel_pending_order", { order_id: "#W1", reason: "no longer needed" }, after)).toContain(
      "cancelled",
    );
  });
  test("a return to a gift card raises its balance by the items' price", () => {
    const after = done(smallShop(), "return_delivered_order_items", {
      order_id: "#W2",
      item_ids: ["201"],
      payment_method_id: "gift_a",
    });
    expect(balance(after)).toBe(7_550); // 500 + 7050
    expect(after.order("#W2")).toMatchObject({ status: "return requested", returned_items: ["201"] });
  });
  test("an exchange charges or refunds the difference of prices", () => {
    const swap = {
      order_id: "#W2",
      item_ids: ["201", "101"],
      new_item_ids: ["202", "103"],
      payment_method_id: "gift_a",
    };
    const after = done(smallShop(), "exchange_delivered_order_items", swap);
    expect(balance(after)).toBe(560); // 7000 - 7050 + 3990 - 4000 = -60, so 500 + 60
    expect(after.order("#W2")?.exchanged_items).toEqual([
      ["101", "103"],
      ["201", "202"],
    ]);
    const dear = { order_id: "#W2", item_ids: ["101"], new_item_ids: ["102"], payment_method_id: "gift_a" };
    expect(refusal("exchange_delivered_order_items", dear)).toContain("holds 5, not 6.25"); // 4625 - 4000 = 625 > 500
  });
  test("the order in which items are named does not change the state", () => {
    const one = {
      order_id: "#W2",
      item_ids: ["201", "101"],
      new_item_ids: ["202", "103"],
      payment_method_id: "card_a",
    };
    const two = {
      order_id: "#W2",
      item_ids: ["101", "201"],
      new_item_ids: ["103", "202"],
      payment_method_id: "card_a",
    };
    const tool = "exchange_delivered_order_items";
    expect(done(smallShop(), tool, one).hash).toBe(done(smallShop(), tool, two).hash);
  });
  test("pending items can be swapped; a second time too, which only the policy forbids", () => {
    const args = { order_id: "#W4", item_ids: ["101"], new_item_ids: ["102"], payment_method_id: "card_a" };
    const after = done(smallShop(), "modify_pending_order_items", args);
    expect(after.order("#W4")).toMatchObject({
      items: [{ item_id: "102", price_cents: 4625 }],
      items_modified: true,
      payments: [{ amount_cents: 4000 }, { kind: "payment", amount_cents: 625, payment_method_id: "card_a" }],
    });
  });
  test("another payment method replaces the first; a gift card must cover it", () => {
    const after = done(smallShop(), "modify_pending_order_payment", { order_id: "#W1", payment_method_id: "paypal_a" });
    expect(after.order("#W1")?.payments).toEqual([
      { kind: "payment", amount_cents: 11_050, payment_method_id: "paypal_a" },
    ]);
    expect(refusal("modify_pending_order_payment", { order_id: "#W1", payment_method_id: "gift_a" })).toContain(
      "110.5",
    );
    expect(refusal("modify_pending_order_payment", { order_id: "#W1", payment_method_id: "card_a" })).toContain(
      "already",
    );
    expect(refusal("modify_pending_order_payment", { order_id: "#W1", payment_method_id: "card_b" })).toContain(
      "no payment",
    );
  });
  test("addresses of orders and of customers are apart", () => {
    const place = { street: "2 Mill Road", city: "Lakeside", region: "WE", country: "Limbria", zip: "33333" };
    const order = done(smallShop(), "modify_pending_order_address", { order_id: "#W1", ...place });
    expect([order.order("#W1")?.address.zip, order.user("ada_dorn_1000")?.address.zip]).toEqual(["33333", "11111"]);
    const user = done(smallShop(), "modify_user_address", { user_id: "ada_dorn_1000", ...place });
    expect([user.order("#W1")?.address.zip, user.user("ada_dorn_1000")?.address.zip]).toEqual(["11111", "33333"]);
    expect(user.userByNameAndZip("Ada", "Dorn", "33333")?.user_id).toBe("ada_dorn_1000");
  });
  test("a hand-over is part of the state, its words are not", () => {
    const one = done(smallShop(), "transfer_to_human", { summary: "a" });
    expect(one.hash).toBe(done(smallShop(), "transfer_to_human", { summary: "b" }).hash);
    expect(one.hash).not.toBe(smallShop().hash);
  });
});

describe("refusing", () => {
  const swap = { order_id: "#W2", item_ids: ["101"], new_item_ids: ["103"], payment_method_id: "card_a" };
  test.each<[string, JsonObject, string]>([
    [
      "cancel_pending_order",
      { order_id: "#W2", reason: "no longer needed" },
      "is delivered; this needs a pending order",
    ],
    ["cancel_pending_order", { order_id: "#W0", reason: "no longer needed" }, 'No order "#W0"'],
    ["cancel_pending_order", { order_id: "#W1", reason: "a whim" }, "reason:"],
    ["cancel_pending_order", { order_id: "#W1" }, "Expected: order_id, reason"],
    ["cancel_pending_order", { order_id: "#W1", reason: "no longer needed", force: true }, "force"],
    ["get_order_details", { order_id: 7 }, "order_id:"],
    ["get_user_details", { user_id: "__proto__" }, "No user"],
    ["exchange_delivered_order_items", { ...swap, new_item_ids: ["104"] }, "not in stock"],
    ["exchange_delivered_order_items", { ...swap, new_item_ids: ["202"] }, "not a variant of Desk Lamp"],
    ["exchange_delivered_order_items", { ...swap, new_item_ids: ["101"] }, "has already"],
    ["exchange_delivered_order_items", { ...swap, new_item_ids: ["102", "103"] }, "cannot become 2"],
    ["exchange_delivered_order_items", { ...swap, item_ids: ["999"] }, "has no item"],
    [
      "return_delivered_order_items",
      { order_id: "#W2", item_ids: ["101", "101"], payment_method_id: "card_a" },
      "twice",
    ],
    ["return_delivered_order_items", { order_id: "#W2", item_ids: [], payment_method_id: "card_a" }, "item_ids"],
    ["cancel_pending_oder", {}, 'Did you mean "cancel_pending_order"?'],
    ["toString", {}, "No tool"],
  ])("%s %j", (name, args, why) => expect(refusal(name, args)).toContain(why));
});

test("sixteen tools, with marks and JSON schemas; irreversible ones are writes", () => {
  expect(TOOL_DEFINITIONS).toHaveLength(16);
  expect(TOOL_DEFINITIONS.filter((tool) => tool.effect === "write")).toHaveLength(8);
  const irreversible = TOOL_DEFINITIONS.filter((tool) => tool.irreversible);
  expect(irreversible.map((tool) => tool.name).sort()).toEqual([
    "cancel_pending_order",
    "exchange_delivered_order_items",
    "modify_pending_order_items",
    "return_delivered_order_items",
    "transfer_to_human",
  ]);
  const cancel = TOOL_DEFINITIONS.find((tool) => tool.name === "cancel_pending_order");
  expect(cancel?.parameters).toMatchObject({
    type: "object",
    required: ["order_id", "reason"],
    additionalProperties: false,
    properties: { reason: { enum: ["no longer needed", "ordered by mistake"] } },
  });
});
