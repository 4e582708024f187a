/** Paying and refunding: a gift card's balance moves at once, other methods only leave a line in the order. */
import type { Database } from "./database.ts";
import type { Payment, PaymentMethod, User } from "./retail.ts";

export function methodOf(user: User, id: string): PaymentMethod | undefined {
  return user.payment_methods.find((method) => method.id === id);
}

/** Why this method cannot pay the amount; undefined when it can. Negative amounts are refunds. */
export function cannotPay(method: PaymentMethod, cents: number): string | undefined {
  if (method.source !== "gift_card" || method.balance_cents >= cents) return undefined;
  return `Gift card "${method.id}" holds ${method.balance_cents / 100}, not ${cents / 100}.`;
}

/** The line for an order's payments; nothing for a difference of nothing. */
export function paymentLine(methodId: string, cents: number): readonly Payment[] {
  if (cents === 0) return [];
  const kind = cents > 0 ? "payment" : "refund";
  return [{ kind, amount_cents: Math.abs(cents), payment_method_id: methodId }];
}

/** Takes the amount from a gift card, or puts it on (negative); leaves other methods alone. */
export function settle(database: Database, user: User, methodId: string, cents: number): Database {
  const method = methodOf(user, methodId);
  if (method?.source !== "gift_card" || cents === 0) return database;
  const changed = { ...method, balance_cents: method.balance_cents - cents };
  return database.withUser({
    ...user,
    payment_methods: user.payment_methods.map((candidate) => (candidate.id === methodId ? changed : candidate)),
  });
}
