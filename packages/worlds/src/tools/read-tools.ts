/** The tools that only look. */
import { z } from "zod";
import { answer, readTool, refuse, type Tool } from "./tool.ts";
import { orderView, productView, userView } from "./view.ts";

const text = z.string().min(1).max(200);
export const orderId = text.describe("Order number with its mark, for example #W1234567");

export const READ_TOOLS: readonly Tool[] = [
  readTool({
    name: "find_user_by_email",
    description: "Finds the customer with this e-mail address. Gives the user_id, or null when there is none.",
    parameters: z.strictObject({ email: text }),
    run: (database, { email }) => answer(database, { user_id: database.userByEmail(email)?.user_id ?? null }),
  }),
  readTool({
    name: "find_user_by_name_zip",
    description: "Finds the customer with this name and zip code. Gives the user_id, or null when there is none.",
    parameters: z.strictObject({ first_name: text, last_name: text, zip: text }),
    run: (database, { first_name: first, last_name: last, zip }) =>
      answer(database, { user_id: database.userByNameAndZip(first, last, zip)?.user_id ?? null }),
  }),
  readTool({
    name: "get_user_details",
    description: "Shows a customer: name, address, payment methods, order numbers.",
    parameters: z.strictObject({ user_id: text }),
    run: (database, { user_id: id }) => {
      const user = database.user(id);
      return user === undefined ? refuse(`No user "${id}".`) : answer(database, userView(user));
    },
  }),
  readTool({
    name: "get_order_details",
    description: "Shows an order: status, items, address, payments, days since delivery.",
    parameters: z.strictObject({ order_id: orderId }),
    run: (database, { order_id: id }) => {
      const order = database.order(id);
      return order === undefined ? refuse(`No order "${id}".`) : answer(database, orderView(order));
    },
  }),
  readTool({
    name: "get_product_details",
    description: "Shows a product with all its variants: item_id, options, price, availability.",
    parameters: z.strictObject({ product_id: text }),
    run: (database, { product_id: id }) => {
      const product = database.product(id);
      return product === undefined ? refuse(`No product "${id}".`) : answer(database, productView(product));
    },
  }),
  readTool({
    name: "get_item_details",
    description: "Shows one variant by its item_id: product, options, price, availability.",
    parameters: z.strictObject({ item_id: text }),
    run: (database, { item_id: id }) => {
      for (const product of database.base.products.values()) {
        const variant = product.variants.find((candidate) => candidate.item_id === id);
        if (variant === undefined) continue;
        const { options, price_cents: cents, available } = variant;
        const { product_id, name } = product;
        return answer(database, {
          item_id: id,
          product_id,
          name,
          options: { ...options },
          price: cents / 100,
          available,
        });
      }
      return refuse(`No item "${id}".`);
    },
  }),
  readTool({
    name: "list_product_types",
    description: "Lists the names of all products with their product_id.",
    parameters: z.strictObject({}),
    run: (database) => {
      const names = [...database.base.products.values()].map((product) => [product.name, product.product_id] as const);
      return answer(database, Object.fromEntries(names.sort(([left], [right]) => (left < right ? -1 : 1))));
    },
  }),
  readTool({
    name: "calculate",
    description: "Works out a sum of decimal numbers with + - * / and brackets, rounded to cents.",
    parameters: z.strictObject({ expression: z.string().min(1).max(1_000) }),
    run: (database, { expression }) => {
      const value = calculate(expression);
      if (value === undefined) return refuse("This is not a sum of numbers with + - * / and brackets.");
      return answer(database, { value: Math.round(value * 100) / 100 });
    },
  }),
];

/**
 * A pocket calculator: + - * / and brackets over decimal numbers. Text is read, never evaluated as code.
 *
 * Depth is bounded, so that a text of 100,000 brackets is an error and not a stack overflow.
 */
const MAX_DEPTH = 50;
const MAX_LENGTH = 1_000;

interface Reader {
  readonly tokens: readonly string[];
  at: number;
}

/** The value, or undefined when the text is not such an expression or has no finite value. */
function calculate(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const tokens = text.match(/\d+(?:\.\d+)?|[-+*/()]|\S/g) ?? [];
  const reader: Reader = { tokens, at: 0 };
  const value = sum(reader, 0);
  return value === undefined || reader.at < tokens.length || !Number.isFinite(value) ? undefined : value;
}

function sum(reader: Reader, depth: number): number | undefined {
  let value = product(reader, depth);
  while (value !== undefined && (peek(reader) === "+" || peek(reader) === "-")) {
    const sign = take(reader);
    const right = product(reader, depth);
    if (right === undefined) return undefined;
    value = sign === "+" ? value + right : value - right;
  }
  return value;
}

function product(reader: Reader, depth: number): number | undefined {
  let value = factor(reader, depth);
  while (value !== undefined && (peek(reader) === "*" || peek(reader) === "/")) {
    const sign = take(reader);
    const right = factor(reader, depth);
    if (right === undefined) return undefined;
    value = sign === "*" ? value * right : value / right;
  }
  return value;
}

function factor(reader: Reader, depth: number): number | undefined {
  const token = take(reader);
  if (token === undefined || depth > MAX_DEPTH) return undefined;
  if (token === "-") {
    const value = factor(reader, depth + 1);
    return value === undefined ? undefined : -value;
  }
  if (token === "(") {
    const value = sum(reader, depth + 1);
    return take(reader) === ")" ? value : undefined;
  }
  return /^\d/.test(token) ? Number(token) : undefined;
}

function peek(reader: Reader): string | undefined {
  return reader.tokens[reader.at];
}

function take(reader: Reader): string | undefined {
  const token = reader.tokens[reader.at];
  reader.at += 1;
  return token;
}
