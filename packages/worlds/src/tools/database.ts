/**
 * The shop's database: a shared base that never changes and a small overlay of changed rows.
 *
 * A write gives a new database, so a fork is the same object and costs nothing. The hash covers only rows that differ
 * from the base: a change taken back leaves no trace, and the order of writes does not matter.
 */
import { canonicalJson, digest } from "./canonical.ts";
import type { Order, Product, User } from "./retail.ts";

export interface BaseRows {
  /** Names the base; two bases with different rows never share it. */
  readonly id: string;
  readonly users: ReadonlyMap<string, User>;
  readonly orders: ReadonlyMap<string, Order>;
  readonly products: ReadonlyMap<string, Product>;
  readonly userByEmail: ReadonlyMap<string, string>;
  readonly usersByName: ReadonlyMap<string, readonly string[]>;
}

type Table = "user" | "order";
interface Change {
  readonly table: Table;
  readonly row: User | Order;
  readonly text: string;
}

const UNCHANGED: ReadonlyMap<string, Change> = new Map();

/**
 * A shop's data. A change gives another database; the first stays as it is.
 *
 * @example
 * import { generateShop } from "limbeck-worlds/tools/generate-database";
 *
 * const database = new Database(generateShop({ seed: 1, remainder: 0 }));
 * console.log(database.withTransfer().transferred, database.transferred); // true false
 */
export class Database {
  readonly base: BaseRows;
  readonly transferred: boolean;
  readonly #changes: ReadonlyMap<string, Change>;
  #hash: string | undefined;

  constructor(base: BaseRows, changes: ReadonlyMap<string, Change> = UNCHANGED, transferred = false) {
    this.base = base;
    this.#changes = changes;
    this.transferred = transferred;
  }

  user(id: string): User | undefined {
    return (this.#changes.get(`user ${id}`)?.row as User | undefined) ?? this.base.users.get(id);
  }

  order(id: string): Order | undefined {
    return (this.#changes.get(`order ${id}`)?.row as Order | undefined) ?? this.base.orders.get(id);
  }

  product(id: string): Product | undefined {
    return this.base.products.get(id);
  }

  userByEmail(email: string): User | undefined {
    const id = this.base.userByEmail.get(email.trim().toLowerCase());
    return id === undefined ? undefined : this.user(id);
  }

  userByNameAndZip(first: string, last: string, zip: string): User | undefined {
    const ids = this.base.usersByName.get(nameKey(first, last)) ?? [];
    return ids.map((id) => this.user(id)).find((user) => user?.address.zip === zip.trim());
  }

  withUser(user: User): Database {
    return this.#with("user", user.user_id, user, this.base.users.get(user.user_id));
  }

  withOrder(order: Order): Database {
    return this.#with("order", order.order_id, order, this.base.orders.get(order.order_id));
  }

  withTransfer(): Database {
    return new Database(this.base, this.#changes, true);
  }

  /** Equal for equal contents over one base; computed once. */
  get hash(): string {
    this.#hash ??= digest(
      [
        this.base.id,
        String(this.transferred),
        ...[...this.#changes].map(([key, change]) => `${key} ${change.text}`).sort(),
      ].join("\n"),
    );
    return this.#hash;
  }

  #with(table: Table, id: string, row: User | Order, original: User | Order | undefined): Database {
    const text = canonicalJson(row);
    const changes = new Map(this.#changes);
    if (original !== undefined && canonicalJson(original) === text) changes.delete(`${table} ${id}`);
    else changes.set(`${table} ${id}`, { table, row, text });
    return new Database(this.base, changes, this.transferred);
  }
}

function nameKey(first: string, last: string): string {
  return `${first.trim().toLowerCase()} ${last.trim().toLowerCase()}`;
}

/** Builds the look-ups. */
export function createBase(
  id: string,
  rows: { readonly users: readonly User[]; readonly orders: readonly Order[]; readonly products: readonly Product[] },
): BaseRows {
  const usersByName = new Map<string, string[]>();
  for (const user of rows.users) {
    const key = nameKey(user.first_name, user.last_name);
    usersByName.set(key, [...(usersByName.get(key) ?? []), user.user_id]);
  }
  return {
    id,
    users: new Map(rows.users.map((user) => [user.user_id, user])),
    orders: new Map(rows.orders.map((order) => [order.order_id, order])),
    products: new Map(rows.products.map((product) => [product.product_id, product])),
    userByEmail: new Map(rows.users.map((user) => [user.email, user.user_id])),
    usersByName,
  };
}
