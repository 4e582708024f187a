/** What was asked for lately and is kept for the next time: results by key, and things that many use and that are closed. */

interface Result<Value> {
  readonly version: string;
  readonly value: Promise<Value>;
}

/** Results by key, of which the `most` used last stay. One that fails is forgotten, so that the next asks anew. */
export class Recent<Value> {
  readonly #most: number;
  readonly #results = new Map<string, Result<Value>>();

  constructor(most = Infinity) {
    this.#most = most;
  }

  /** What is kept under the key where it is of this version; made otherwise. */
  get(key: string, make: () => Promise<Value>, version = ""): Promise<Value> {
    const known = this.#results.get(key);
    const result = known?.version === version ? known : { version, value: make() };
    this.#results.delete(key);
    this.#results.set(key, result);
    if (result !== known) {
      result.value.catch(() => {
        if (this.#results.get(key) === result) this.#results.delete(key);
      });
    }
    if (this.#results.size > this.#most) this.#results.delete([...this.#results.keys()][0] as string);
    return result.value;
  }

  delete(key: string): void {
    this.#results.delete(key);
  }

  /** Those that did not fail. */
  async values(): Promise<Value[]> {
    const settled = await Promise.allSettled([...this.#results.values()].map(({ value }) => value));
    return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  }
}

interface Opened<Value> {
  readonly opening: Promise<Value>;
  users: number;
  isDropped: boolean;
}

/** Things that are opened once for many users. The `most` used last stay open; one that is dropped is closed after its last user. */
export class KeptOpen<Value> {
  readonly #most: number;
  readonly #close: (value: Value) => Promise<void> | void;
  readonly #all = new Map<string, Opened<Value>>();

  constructor(most: number, close: (value: Value) => Promise<void> | void) {
    this.#most = most;
    this.#close = close;
  }

  async lease(
    key: string,
    open: () => Promise<Value>,
  ): Promise<{ readonly value: Value; readonly release: () => Promise<void> }> {
    const held = this.#all.get(key) ?? { opening: open(), users: 0, isDropped: false };
    this.#all.delete(key);
    this.#all.set(key, held);
    held.users += 1;
    const release = async (): Promise<void> => {
      held.users -= 1;
      await this.#closeUnused(held);
    };
    const old = [...this.#all.keys()].slice(0, -this.#most);
    try {
      const [value] = await Promise.all([held.opening, ...old.map((one) => this.drop(one))]);
      return { value, release };
    } catch (error) {
      if (this.#all.get(key) === held) await this.drop(key);
      await release();
      throw error;
    }
  }

  async use<Result>(key: string, open: () => Promise<Value>, work: (value: Value) => Promise<Result>): Promise<Result> {
    const { value, release } = await this.lease(key, open);
    try {
      return await work(value);
    } finally {
      await release();
    }
  }

  async drop(key: string): Promise<void> {
    const held = this.#all.get(key);
    if (held === undefined) return;
    this.#all.delete(key);
    held.isDropped = true;
    await this.#closeUnused(held);
  }

  async close(): Promise<void> {
    for (const key of this.#all.keys()) await this.drop(key);
  }

  async #closeUnused({ opening, users, isDropped }: Opened<Value>): Promise<void> {
    if (!isDropped || users > 0) return;
    // What did not open needs no closing; its caller met the error.
    await opening.then(this.#close).catch(() => undefined);
  }
}
