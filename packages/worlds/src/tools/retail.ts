/**
 * The rows of the shop's database, in the form the agent reads them. Plain data, never changed in place.
 *
 * Money is kept in whole cents, so that sums are exact; tools show it in dollars.
 */
export interface Address {
  readonly street: string;
  readonly city: string;
  readonly region: string;
  readonly country: string;
  readonly zip: string;
}

export type PaymentMethod =
  | { readonly id: string; readonly source: "credit_card"; readonly brand: string; readonly last_four: string }
  | { readonly id: string; readonly source: "paypal" }
  | { readonly id: string; readonly source: "gift_card"; readonly balance_cents: number };

export interface User {
  readonly user_id: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly address: Address;
  readonly payment_methods: readonly PaymentMethod[];
  readonly orders: readonly string[];
}

export type Options = Readonly<Record<string, string>>;

export interface Variant {
  readonly item_id: string;
  readonly options: Options;
  readonly price_cents: number;
  readonly available: boolean;
}

export interface Product {
  readonly product_id: string;
  readonly name: string;
  readonly variants: readonly Variant[];
}

export interface OrderItem {
  readonly item_id: string;
  readonly product_id: string;
  readonly name: string;
  readonly options: Options;
  readonly price_cents: number;
}

export type OrderStatus =
  | "pending"
  | "processed"
  | "delivered"
  | "cancelled"
  | "return requested"
  | "exchange requested";

export interface Payment {
  readonly kind: "payment" | "refund";
  readonly amount_cents: number;
  readonly payment_method_id: string;
}

export interface Order {
  readonly order_id: string;
  readonly user_id: string;
  readonly status: OrderStatus;
  readonly address: Address;
  readonly items: readonly OrderItem[];
  readonly payments: readonly Payment[];
  /** The policy allows one change of items; the tools do not enforce it. */
  readonly items_modified: boolean;
  readonly delivered_days_ago: number | null;
  readonly tracking: string | null;
  readonly cancel_reason: string | null;
  readonly returned_items: readonly string[];
  /** Pairs of old and new item. */
  readonly exchanged_items: readonly (readonly [string, string])[];
}

export function orderTotalCents(order: Order): number {
  return order.items.reduce((total, item) => total + item.price_cents, 0);
}

/** The method that paid for the order. */
export function originalMethod(order: Order): string | undefined {
  return order.payments.find((payment) => payment.kind === "payment")?.payment_method_id;
}

/** Cents as dollars with two digits: 1250 is "12.50". */
export function dollars(cents: number): string {
  return (cents / 100).toFixed(2);
}
