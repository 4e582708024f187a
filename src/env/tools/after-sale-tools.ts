/** The tools for delivered orders: return and exchange. Each makes a request; the order's status says which. */
import { z } from "zod";
import { methodOf, paymentLine, settle } from "./money.ts";
import { orderId } from "./read-tools.ts";
import type { Order } from "./retail.ts";
import { answer, refuse, writeTool, type Tool } from "./tool.ts";
import { orderView } from "./view.ts";
import { itemIds, paymentMethodId, swapTool, withOrder } from "./write-tools.ts";

const returnItems = writeTool({
  name: "return_delivered_order_items",
  description: "Takes items of a delivered order back and refunds their price to the given method.",
  irreversible: true,
  parameters: z.strictObject({ order_id: orderId, item_ids: itemIds, payment_method_id: paymentMethodId }),
  run: (database, args) =>
    withOrder(database, args.order_id, "delivered", (order, user) => {
      if (new Set(args.item_ids).size !== args.item_ids.length) return refuse("An item is named twice.");
      const missing = args.item_ids.find((id) => !order.items.some((item) => item.item_id === id));
      if (missing !== undefined) return refuse(`Order "${order.order_id}" has no item "${missing}".`);
      const method = methodOf(user, args.payment_method_id);
      if (method === undefined) return refuse(`The customer has no payment method "${args.payment_method_id}".`);
      const returned = order.items.filter((item) => args.item_ids.includes(item.item_id));
      const refund = returned.reduce((total, item) => total + item.price_cents, 0);
      const changed: Order = {
        ...order,
        status: "return requested",
        // Sorted, because the order in which a customer names things is no difference in the outcome.
        returned_items: returned.map((item) => item.item_id).sort(),
        payments: [...order.payments, ...paymentLine(method.id, -refund)],
      };
      return answer(settle(database, user, method.id, -refund).withOrder(changed), orderView(changed));
    }),
});

const exchangeItems = swapTool({
  name: "exchange_delivered_order_items",
  description: "Exchanges items of a delivered order for other variants of the same products, place by place.",
  status: "delivered",
  change: (_order, pairs) => ({
    status: "exchange requested",
    exchanged_items: pairs
      .map(([old, fresh]) => [old.item_id, fresh.item_id] as const)
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  }),
});

export const AFTER_SALE_TOOLS: readonly Tool[] = [returnItems, exchangeItems];
