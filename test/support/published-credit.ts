/** Advantages of published code beside ours, on small batches in the form of `limbeck credit --in`. */
import { expect, test } from "vitest";
import type { Json } from "../../packages/base/src/base/json.ts";
import type { CreditMethod } from "../../packages/core/src/credit/credit.ts";
import { assign } from "./credit.ts";
import { published } from "./published.ts";

interface Case {
  readonly options?: Readonly<Record<string, number | string | boolean | null>>;
  /** The outcome of each trajectory. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** As a batch has them. By default valid, with one token that is trained on. */
  readonly rows: readonly { readonly [field: string]: Json }[];
  /** Of each row: of each of its tokens, or of its first. */
  readonly advantages: readonly (number | readonly number[])[];
}

/** A test for each case. */
export function publishedCredit(name: string, credit: CreditMethod, digits = 5): void {
  test.each([...published<Case>(name).cases.entries()])(
    "published code gives the same advantages: case %i",
    (_, { options = {}, outcomes, rows, advantages }) => {
      const trajectories = Object.entries(outcomes).map(([id, outcome]) => [id, { outcome, success: outcome >= 1 }]);
      const batch = {
        rows: rows.map((row) => ({ valid: true, mask: [1], ...row })),
        trajectories: Object.fromEntries(trajectories) as Json,
      };
      const ours = assign(credit, batch, options).advantages;
      expect(ours).toHaveLength(advantages.length);
      for (const [at, theirs] of advantages.entries()) {
        const tokens = typeof theirs === "number" ? [theirs] : theirs;
        for (const [token, value] of tokens.entries()) expect(ours[at]?.[token]).toBeCloseTo(value, digits);
      }
    },
  );
}
