/** The tokens of one step with everything that is known of them. */
import type { CreditRow } from "../../eval/report/credit.ts";
import type { TokenTexts } from "../../eval/report/token-texts.ts";
import type { Step, Trajectory } from "../../trajectory/index.ts";
import type { StepTokens } from "../api/trajectory.ts";

export function tokensOf(
  { streams }: Trajectory,
  { span }: Step,
  credit: CreditRow | undefined,
  texts: TokenTexts | undefined,
): StepTokens | null {
  const stream = span === undefined ? undefined : streams[span.stream];
  if (span === undefined || stream === undefined) return null;
  const { start, end } = span;
  const ids = [...stream.ids.subarray(start, end)];
  const probabilities = (values: Float32Array | undefined): number[] | null =>
    values === undefined ? null : Array.from(values.subarray(start, end), (value) => rounded(Math.exp(value)));
  // What was credited is aligned with the response; rows of another length belong to something else.
  const own = credit?.advantages.length === ids.length ? credit : undefined;
  const terms = own?.terms?.map(({ name, weight, value, values }) => ({
    name,
    weight,
    values: values ?? ids.map(() => value ?? 0),
  }));
  return {
    ids,
    texts: texts === undefined ? null : texts(ids),
    mask: [...stream.mask.subarray(start, end)],
    probability: probabilities(stream.logprobs),
    sampledProbability: probabilities(stream.sampledLogprobs),
    entropy: null,
    advantage: own?.advantages ?? null,
    terms: terms ?? null,
    shift: own?.shift ?? null,
    divergence: own?.divergence ?? null,
    teacher: own?.teacher === "step" || own?.teacher === "episode" ? own.teacher : null,
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
