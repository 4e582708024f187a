/** Random rows for objectives: as JSON for the published half, and as an objective reads them. */
import { createRng } from "../../../packages/base/src/base/rng.ts";
import type { TrainRow } from "../../../packages/policy/src/policy/objective.ts";

export type ObjectiveRow = Readonly<Record<string, readonly number[]>>;

const FIELDS = [
  "oldLogprobs",
  "referenceLogprobs",
  "rolloutLogprobs",
  "teacherLogprobs",
  "advantages",
  "returns",
  "oldValues",
];

/** Rows in pairs; the first token is a prompt's, and at least one other is trained. */
export function objectiveRows(seed: number): { readonly rows: readonly ObjectiveRow[] } {
  const rng = createRng(`objectives-${seed}`);
  const rows = Array.from({ length: 2 * (1 + (seed % 4)) }, (): ObjectiveRow => {
    const length = 2 + rng.int(8);
    const live = Array.from({ length }, () => -3 * rng.float());
    const near = (): number[] => live.map((value) => value + 0.3 * rng.normal());
    const mask = live.map((_, token) => Number(token > 0 && rng.float() < 0.8));
    mask[1 + rng.int(length - 1)] = 1;
    const advantage = rng.normal();
    return {
      live,
      mask,
      rowAdvantages: live.map(() => advantage),
      ...Object.fromEntries(FIELDS.map((name) => [name, near()])),
      advantages: live.map(() => rng.normal()),
    };
  });
  return { rows };
}

export function trainRows(rows: readonly ObjectiveRow[], sameAdvantage: boolean): TrainRow[] {
  return rows.map((row, at) => ({
    ids: new Int32Array(row["mask"]?.length ?? 0),
    mask: Uint8Array.from(row["mask"] ?? []),
    pair: `pair-${Math.floor(at / 2)}`,
    rank: at % 2 === 0 ? 1 : 0,
    ...Object.fromEntries(FIELDS.map((name) => [name, Float64Array.from(row[name] ?? [])])),
    advantages: Float64Array.from(row[sameAdvantage ? "rowAdvantages" : "advantages"] ?? []),
  }));
}
