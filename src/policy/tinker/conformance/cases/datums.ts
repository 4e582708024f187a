/** Datums that several cases use. Few shapes: some servers compile for each. */
import type { ConformanceBench } from "../bench.ts";
import type { Datum } from "../../wire.ts";

/** Every target with this weight. */
export function weighing({ datum, tokens }: ConformanceBench, weight = 1): Datum {
  return datum({ weights: new Float64Array(tokens.length).fill(weight) });
}

/** Weight 1 from the fifth token on, 0 before. */
export function halfWeighing({ datum, tokens }: ConformanceBench): Datum {
  return datum({ weights: Float64Array.from(tokens, (_, at) => Number(at > 4)) });
}

/** For losses with a ratio: behaviour log-probabilities at a distance from the current ones, and advantages of both signs. */
export function rated(
  { datum, tokens }: ConformanceBench,
  logprobs: readonly number[],
  distance: (token: number) => number,
): Datum {
  return datum({
    weights: new Float64Array(tokens.length).fill(1),
    logprobs: Float64Array.from(tokens, (_, at) => (at === 0 ? 0 : (logprobs[at - 1] as number) - distance(at))),
    advantages: Float64Array.from(tokens, (_, at) => (at % 2 === 0 ? 1 : -0.5)),
  });
}
