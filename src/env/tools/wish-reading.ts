/** How a demonstrator understands a customer's sentences: which wish it is, and what has been told about it. */
import type { ProductSeen, UserSeen, OrderSeen } from "./memory.ts";
import type { Wish } from "./phrase.ts";
import type { Topic } from "./scenario.ts";

export type WishKind = Wish | "question" | "handover" | "nothing";

const KINDS: readonly (readonly [RegExp, WishKind])[] = [
  [/compensation|complain/, "handover"],
  [/leave everything/, "nothing"],
  [/\?$/, "question"],
  [/cancel/, "cancel"],
  [/return|send something back/, "return"],
  [/exchange/, "exchange"],
  [/ships?\b|shipped/, "modify-items"],
  [/sent to another address|delivery address/, "order-address"],
  [/payment method|pay for an order/, "payment"],
  [/my account/, "user-address"],
];

export function kindOf(ask: string): WishKind | undefined {
  return KINDS.find(([words]) => words.test(ask))?.[1];
}

const NEEDS: Readonly<Record<Wish, readonly Topic[]>> = {
  cancel: ["order", "reason"],
  return: ["order", "items", "payment"],
  exchange: ["order", "items", "options", "payment"],
  "modify-items": ["order", "items", "options", "payment"],
  "order-address": ["order", "address"],
  payment: ["order", "payment"],
  "user-address": ["address"],
};

export function missingTopics(wish: Wish, told: string): Topic[] {
  const known: Readonly<Record<Topic, boolean>> = {
    order: orderHint(told) !== undefined,
    items: itemNames(told).length > 0,
    options: itemNames(told).length > 0 && itemNames(told).every((name) => told.includes(`For the ${name} I want`)),
    payment: /Please use (.+?)\./.test(told),
    reason: reasonOf(told) !== undefined,
    address: addressOf(told) !== undefined,
  };
  return NEEDS[wish].filter((topic) => !known[topic]);
}

/** An order number, or the name of something in the order. */
export function orderHint(told: string): { readonly id: string } | { readonly product: string } | undefined {
  const id = /#W\d{7}/.exec(told)?.[0];
  if (id !== undefined) return { id };
  const product = /order with the ([^.?]+)/.exec(told)?.[1];
  return product === undefined ? undefined : { product };
}

export function itemNames(told: string): string[] {
  const list = /(?:about|I mean) (the [^.]+)\./.exec(told)?.[1];
  return list === undefined ? [] : list.split(" and ").map((name) => name.replace(/^the /, ""));
}

/** The options wanted for an item; undefined when something else is wanted in its place. */
export function optionsFor(name: string, told: string): Readonly<Record<string, string>> | undefined {
  const start = told.indexOf(`For the ${name} I want`);
  const sentence = told.slice(start, told.indexOf("; the rest stays the same", start));
  const pairs = [...sentence.matchAll(/the (\w+) to be "([^"]*)"/g)].map((match) => [match[1] ?? "", match[2] ?? ""]);
  return pairs.length === 0 ? undefined : (Object.fromEntries(pairs) as Record<string, string>);
}

export function wantedVariant(
  product: ProductSeen,
  item: OrderSeen["items"][number],
  changes: Readonly<Record<string, string>>,
): ProductSeen["variants"][number] | undefined {
  const wanted = Object.entries({ ...item.options, ...changes });
  return product.variants.find((variant) => wanted.every(([name, value]) => variant.options[name] === value));
}

export function methodFor(user: UserSeen, told: string): string | undefined {
  const text = /Please use (.+?)\./.exec(told)?.[1] ?? "";
  const lastFour = /ending in (\d+)/.exec(text)?.[1];
  const source = text.includes("gift card") ? "gift_card" : text.includes("PayPal") ? "paypal" : "credit_card";
  return user.payment_methods.find(
    (method) => method.source === source && (lastFour === undefined || method.last_four === lastFour),
  )?.id;
}

export function reasonOf(told: string): string | undefined {
  if (/by mistake/.test(told)) return "ordered by mistake";
  return /no longer need/.test(told) ? "no longer needed" : undefined;
}

export function addressOf(told: string): Readonly<Record<string, string>> | undefined {
  const parts = /new address is ([^.]+)\./.exec(told)?.[1]?.split(", ");
  if (parts?.length !== 5) return undefined;
  const [street = "", city = "", region = "", country = "", zip = ""] = parts;
  return { street, city, region, country, zip };
}
