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
  /** Those that succeeded. Default: with an outcome of 1 and more. */
  readonly succeeded?: readonly string[];
  /** As a batch has them. By default valid, with one token that is trained on. */
  readonly rows: readonly { readonly [field: string]: Json }[];
  /** Of each row: of each of its tokens, or of every token that is trained on. */
  readonly advantages: readonly (number | readonly number[])[];
}

/** A test for each case. Fewer digits where published code computes in 32 bits. */
export function publishedCredit(name: string, credit: CreditMethod, digits = 5): void {
  test.each([...published<Case>(name).cases.entries()])(
    "published code gives the same advantages: case %i",
    (_, { options = {}, rows, advantages, ...batch }) => {
      const given = { rows: rows.map((row) => ({ valid: true, mask: [1], ...row })), trajectories: endings(batch) };
      const ours = assign(credit, given, options).advantages;
      expect(ours).toHaveLength(advantages.length);
      for (const [at, theirs] of advantages.entries()) {
        const mask = (given.rows[at] as unknown as { readonly mask: readonly number[] }).mask;
        for (const [token, trained] of mask.entries()) {
          const value = typeof theirs === "number" ? trained * theirs : theirs[token];
          expect(ours[at]?.[token]).toBeCloseTo(value ?? Number.NaN, digits);
        }
      }
    },
  );
}

function endings({ outcomes, succeeded }: Pick<Case, "outcomes" | "succeeded">): Json {
  const all = Object.entries(outcomes).map(([id, outcome]): [string, Json] => {
    return [id, { outcome, success: succeeded?.includes(id) ?? outcome >= 1 }];
  });
  return Object.fromEntries(all);
}
