/** Several objectives as one: losses and weights added up, each times its own weight. */
import { EngineError } from "limbeck-base/base/errors";
import type { Objective, ObjectiveResult, StatisticName } from "limbeck-policy/policy/objective";

export interface WeightedObjective {
  readonly objective: Objective;
  readonly weight: number;
  /** Put before its metrics, so that two objectives of one kind keep separate names. */
  readonly name?: string;
}

/**
 * A part of weight 0 is left out, with what it needs.
 *
 * @example
 * import { objectives } from "limbeck/update";
 *
 * const plain = objectives["cross-entropy"].create();
 * const twice = combine([{ objective: plain, weight: 1 }, { objective: plain, weight: 1 }]);
 * const row = { ids: Int32Array.of(0, 1), mask: Uint8Array.of(0, 1) };
 * const said = { logprob: [Float64Array.of(0, -0.5)] };
 * console.log(plain.compute(said, said, [row]).loss, twice.compute(said, said, [row]).loss); // 0.5 1
 */
export function combine(parts: readonly WeightedObjective[]): Objective {
  parts.forEach(({ weight, name }, at) => {
    if (Number.isFinite(weight)) return;
    const which = name === undefined ? `Objective ${at}` : `Objective "${name}"`;
    throw new EngineError("bad-option", `${which} is combined with weight ${weight}; give a finite number.`);
  });
  const used = parts.filter(({ weight }) => weight !== 0);
  if (used.length === 0) {
    throw new EngineError(
      "bad-option",
      "There is no objective to combine; give at least one with a weight other than 0.",
    );
  }
  return {
    needs: [...new Set(used.flatMap(({ objective }) => objective.needs))],
    ...(used.every(({ objective }) => objective.constantWeights === true) ? { constantWeights: true } : {}),
    compute: (live, frozen, rows) => {
      const sums: { [Name in StatisticName]?: Float64Array[] } = {};
      const metrics: Record<string, number> = {};
      let loss = 0;
      for (const [at, { objective, weight, name }] of used.entries()) {
        const result = objective.compute(live, frozen, rows);
        loss += weight * result.loss;
        add(sums, result.weights, weight);
        const label = name ?? String(at);
        metrics[`${label}/loss`] = result.loss;
        for (const [key, number] of Object.entries(result.metrics ?? {})) metrics[`${label}/${key}`] = number;
      }
      return { loss, weights: sums, metrics };
    },
  };
}

function add(
  sums: { [Name in StatisticName]?: Float64Array[] },
  weights: ObjectiveResult["weights"],
  factor: number,
): void {
  for (const name of Object.keys(weights) as StatisticName[]) {
    const rows = weights[name] ?? [];
    const known = sums[name] ?? rows.map((row) => new Float64Array(row.length));
    sums[name] = known;
    rows.forEach((row, at) => {
      const target = known[at] as Float64Array;
      for (let token = 0; token < row.length; token += 1) {
        target[token] = (target[token] as number) + factor * (row[token] as number);
      }
    });
  }
}
