/** Losses of published code beside ours, and their gradients at every token, on small batches. */
import { expect, test } from "vitest";
import type { ObjectiveMethod } from "../../packages/core/src/objective/objective.ts";
import type { TrainRow } from "../../packages/policy/src/policy/objective.ts";
import { published } from "./published.ts";

interface Row {
  /** What the gradient is taken of: log-probabilities, or values. */
  readonly live: readonly number[];
  readonly mask: readonly number[];
  /** Further fields of a row. */
  readonly [field: string]: readonly number[] | number | string;
}

interface Case {
  readonly options?: Readonly<Record<string, unknown>>;
  readonly rows: readonly Row[];
  readonly loss: number;
  /** Of each token of each row. */
  readonly gradient: readonly (readonly number[])[];
}

/** A test for each case. */
export function publishedObjective(name: string, method: ObjectiveMethod): void {
  test.each([...published<Case>(name).cases.entries()])(
    "published code gives the same loss and gradient: case %i",
    (_, { options = {}, rows, loss, gradient }) => {
      const statistic = name === "value" ? "value" : "logprob";
      const live = { [statistic]: rows.map((row) => Float64Array.from(row.live)) };
      const found = method.create(options as never).compute(live, live, rows.map(trainRow));
      expect(found.loss).toBeCloseTo(loss, 6);
      for (const [row, tokens] of gradient.entries()) {
        const ours = found.weights[statistic]?.[row];
        for (const [token, value] of tokens.entries()) expect(ours?.[token]).toBeCloseTo(value, 6);
      }
    },
  );
}

function trainRow({ live: _unread, mask, ...rest }: Row): TrainRow {
  const fields = Object.entries(rest).map(([name, value]) => [
    name,
    typeof value === "object" ? Float64Array.from(value) : value,
  ]);
  return { ids: new Int32Array(mask.length), mask: Uint8Array.from(mask), ...Object.fromEntries(fields) };
}
