/** Losses of published code beside ours, and their gradients at every token, on small batches. */
import { expect, test } from "vitest";
import type { ObjectiveMethod } from "../../packages/core/src/objective/objective.ts";
import type { TrainRow } from "../../packages/policy/src/policy/objective.ts";
import { published } from "./published.ts";

interface Row {
  /** What the gradient is taken of: log-probabilities, or values. */
  readonly live: readonly number[];
  readonly mask: readonly number[];
  /** Log-probabilities of candidate words, token by token: the policy's, of which a gradient is taken too, and the teacher's. */
  readonly words?: readonly number[];
  readonly teacherWords?: readonly number[];
  /** Further fields of a row. */
  readonly [field: string]: readonly number[] | number | string | undefined;
}

interface Case {
  readonly options?: Readonly<Record<string, unknown>>;
  readonly rows: readonly Row[];
  readonly loss: number;
  /** Of each token of each row. */
  readonly gradient: readonly (readonly number[])[];
  /** Of each candidate word of each row. */
  readonly onWords?: readonly (readonly number[])[];
}

/** A test for each case. */
export function publishedObjective(name: string, method: ObjectiveMethod): void {
  test.each([...published<Case>(name).cases.entries()])(
    "published code gives the same loss and gradient: case %i",
    (_, { options = {}, rows, loss, gradient, onWords = [] }) => {
      const statistic = name === "value" ? "value" : "logprob";
      const candidates = rows.map(({ words = [] }) => Float64Array.from(words));
      const live = { [statistic]: rows.map((row) => Float64Array.from(row.live)), candidates };
      const found = method.create(options as never).compute(live, live, rows.map(trainRow));
      expect(found.loss).toBeCloseTo(loss, 6);
      expectEach(found.weights[statistic], gradient);
      expectEach(found.weights.candidates, onWords);
    },
  );
}

function expectEach(ours: readonly Float64Array[] | undefined, theirs: readonly (readonly number[])[]): void {
  for (const [row, values] of theirs.entries()) {
    for (const [at, value] of values.entries()) expect(ours?.[row]?.[at] ?? 0).toBeCloseTo(value, 6);
  }
}

function trainRow({ live: _unread, mask, words, teacherWords, ...rest }: Row): TrainRow {
  const fields = Object.entries(rest).map(([name, value]) => [
    name,
    typeof value === "object" ? Float64Array.from(value) : value,
  ]);
  const taught = words !== undefined && {
    candidates: { count: words.length / mask.length, ids: new Int32Array(words.length) },
    teacherCandidates: Float32Array.from(teacherWords ?? []),
  };
  return { ids: new Int32Array(mask.length), mask: Uint8Array.from(mask), ...taught, ...Object.fromEntries(fields) };
}
