/** What the agent works with: the orders of a refund desk, and its two tools. Put your own in their place. */
import { z } from "zod";

/** The price of an order, in cents. */
export function priceOf(order: string): number | undefined {
  const number = Number(/^A(\d{3})$/.exec(order)?.[1] ?? Number.NaN);
  return Number.isNaN(number) ? undefined : 100 * (1 + (number % 9));
}

export const inputs = {
  lookup: z.object({ order: z.string().describe("number of the order, such as A104") }),
  refund: z.object({
    order: z.string().describe("number of the order"),
    cents: z.number().int().min(1).describe("what is paid back, in cents"),
  }),
};

export const descriptions = {
  lookup: "Says what an order cost.",
  refund: "Pays money back. It ends the task.",
};

export type ToolName = keyof typeof inputs;

export interface Outcome {
  readonly ok: boolean;
  readonly text: string;
  readonly paid?: { readonly order: string; readonly cents: number };
}

/** Carries a call out. What does not fit the inputs is refused in words that the agent reads. */
export function callTool(name: string, args: unknown): Outcome {
  if (name === "lookup") {
    const { data } = inputs.lookup.safeParse(args);
    const price = data === undefined ? undefined : priceOf(data.order);
    return price === undefined ? refused("There is no such order.") : { ok: true, text: `It cost ${price} cents.` };
  }
  if (name === "refund") {
    const { data } = inputs.refund.safeParse(args);
    if (data === undefined || priceOf(data.order) === undefined) return refused("Give an order and a number of cents.");
    return { ok: true, text: "Paid.", paid: data };
  }
  return refused(`There are the tools ${Object.keys(inputs).join(", ")}.`);
}

function refused(text: string): Outcome {
  return { ok: false, text };
}
