/**
 * The divergence toolbox: how far the policy's words p are from a teacher's q at one token, and the slope
 * of that in every log p. The words are some candidates or the whole vocabulary.
 *
 *   forward        KL(q || p)                                     slope -q
 *   reverse        KL(p || q)                                     slope p (log p - log q + 1)
 *   jsd            b KL(q || m) + (1 - b) KL(p || m),             slope (1 - b) p (log p - log m)
 *                  m = (1 - b) p + b q; b = 0 means forward, b = 1 reverse
 *   cross-entropy  - sum q' log p, q' the teacher on the candidates alone
 *
 * What candidates leave over is one outcome more ("tail"), or both sides are brought to sum 1 on them ("renormalise").
 * A temperature divides all log-probabilities before they are brought to sum 1, and multiplies the result by its square.
 */
import { badOption } from "limbeck-base/base/options";
import { option } from "limbeck-base/base/option";
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import { COLDEST } from "limbeck-policy/policy/policy";

export const CLAMPED = ["token", "word"] as const;

/** All but the direction. */
export const divergenceFormOptions = {
  beta: option.share(0.5, "the teacher's share of the middle; jsd only"),
  rest: option.choice(
    "tail",
    ["tail", "renormalise"],
    "what candidates leave over: one outcome more, or both sides are brought to sum 1 on them",
  ),
  temperature: option.number(1, "above 1 the less likely words count more; needs renormalise", { least: COLDEST }),
  clamp: option.limit(null, "most that one token can count, in nats", { above: 0 }),
  clampOf: option.choice("token", CLAMPED, "what the clamp holds: the token's divergence, or each word's share of it"),
} as const satisfies OptionTable;

export const divergenceOptions = {
  direction: option.choice(
    "reverse",
    ["forward", "reverse", "jsd", "cross-entropy"],
    "forward: teacher first; reverse: policy first; jsd: in between; cross-entropy: of the teacher's words",
  ),
  ...divergenceFormOptions,
} as const satisfies OptionTable;

export type DivergenceOptions = OptionValues<typeof divergenceOptions>;

/** Of the words at `from` to below `to` of both arrays; writes the slopes to the same places. */
export type Divergence = (
  now: Float64Array,
  teacher: Float32Array | Float64Array,
  slopes: Float64Array,
  from: number,
  to: number,
) => number;

type Numbers = Float64Array | Float32Array;

export function divergenceOf(id: string, options: DivergenceOptions): Divergence {
  const { clamp, clampOf, temperature, rest, direction } = options;
  if (temperature !== 1 && (rest !== "renormalise" || direction === "cross-entropy")) {
    throw badOption(id, "temperature", temperature, '1, or rest "renormalise" with another direction');
  }
  if (clampOf === "word" && direction === "cross-entropy") {
    throw badOption(id, "clampOf", clampOf, '"token", or another direction');
  }
  const whole = unclamped(options);
  if (clamp === null || clampOf === "word") return whole;
  return (now, teacher, slopes, from, to) => {
    const value = whole(now, teacher, slopes, from, to);
    if (value <= clamp) return value;
    slopes.fill(0, from, to);
    return clamp;
  };
}

function unclamped(options: DivergenceOptions): Divergence {
  if (options.direction === "cross-entropy") return crossEntropyToken;
  const part = options.clampOf === "word" ? held(partOf(options), options.clamp) : partOf(options);
  if (options.rest === "tail") return (...given) => withTail(part, ...given);
  const { temperature } = options;
  return (...given) => renormalised(part, temperature, ...given);
}

/** One outcome: its share of the divergence, and the slope of that in log p. */
interface OutcomeShare {
  value: number;
  slope: number;
}
type PartOf = (logP: number, logQ: number, out: OutcomeShare) => void;

function partOf({ direction, beta }: DivergenceOptions): PartOf {
  if (direction === "forward" || (direction === "jsd" && beta === 0)) return forward;
  if (direction === "reverse" || beta === 1) return reverse;
  return (logP, logQ, out) => {
    const [p, q] = [Math.exp(logP), Math.exp(logQ)];
    const logM = Math.log((1 - beta) * p + beta * q);
    // Words that neither believes in have no say; 0 (-Infinity) is not 0.
    const gapQ = q === 0 ? 0 : beta * q * (logQ - logM);
    const gapP = p === 0 ? 0 : (1 - beta) * p * (logP - logM);
    out.value = gapQ + gapP;
    out.slope = gapP;
  };
}

/** A word's share that is cut off teaches nothing. Shares below 0 stay, so that a sum of cut ones may be below 0. */
function held(part: PartOf, clamp: number | null): PartOf {
  return (logP, logQ, out) => {
    part(logP, logQ, out);
    if (clamp === null || out.value <= clamp) return;
    out.value = clamp;
    out.slope = 0;
  };
}

const forward: PartOf = (logP, logQ, out) => {
  const q = Math.exp(logQ);
  out.value = q === 0 ? 0 : q * (logQ - logP);
  out.slope = -q;
};

const reverse: PartOf = (logP, logQ, out) => {
  const p = Math.exp(logP);
  out.value = p * (logP - logQ);
  out.slope = out.value + p;
};

/** Below this the rest counts as nothing: rounding of 32-bit probabilities that sum to one. */
const NOTHING = 1e-6;
/** What a rest is at least, where the other side's is more than nothing. */
const LEAST = 1e-7;

function withTail(
  part: PartOf,
  now: Numbers,
  teacher: Numbers,
  slopes: Float64Array,
  from: number,
  to: number,
): number {
  const out: OutcomeShare = { value: 0, slope: 0 };
  const [restNow, restTeacher] = [restOf(now, from, to), restOf(teacher, from, to)];
  let [value, perRest] = [0, 0];
  if (restNow > NOTHING || restTeacher > NOTHING) {
    part(Math.log(Math.max(restNow, LEAST)), Math.log(Math.max(restTeacher, LEAST)), out);
    value = out.value;
    perRest = restNow > LEAST ? out.slope / restNow : 0;
  }
  for (let at = from; at < to; at += 1) {
    const logP = now[at] as number;
    part(logP, teacher[at] as number, out);
    value += out.value;
    // A likelier word leaves less over.
    slopes[at] = out.slope - Math.exp(logP) * perRest;
  }
  return value;
}

/** What the words leave over. */
function restOf(logprobs: Numbers, from: number, to: number): number {
  let rest = 1;
  for (let at = from; at < to; at += 1) rest -= Math.exp(logprobs[at] as number);
  return rest;
}

function renormalised(
  part: PartOf,
  temperature: number,
  now: Numbers,
  teacher: Numbers,
  slopes: Float64Array,
  from: number,
  to: number,
): number {
  const out: OutcomeShare = { value: 0, slope: 0 };
  const totalNow = logTotal(now, temperature, from, to);
  const totalTeacher = logTotal(teacher, temperature, from, to);
  const scale = temperature * temperature;
  let [value, pull] = [0, 0];
  for (let at = from; at < to; at += 1) {
    part((now[at] as number) / temperature - totalNow, (teacher[at] as number) / temperature - totalTeacher, out);
    value += out.value;
    slopes[at] = out.slope;
    pull += out.slope;
  }
  for (let at = from; at < to; at += 1) {
    const p = Math.exp((now[at] as number) / temperature - totalNow);
    slopes[at] = (scale * ((slopes[at] as number) - p * pull)) / temperature;
  }
  return scale * value;
}

/** log of the sum of exp(x / temperature). */
function logTotal(logprobs: Numbers, temperature: number, from: number, to: number): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let at = from; at < to; at += 1) most = Math.max(most, (logprobs[at] as number) / temperature);
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += Math.exp((logprobs[at] as number) / temperature - most);
  return most + Math.log(sum);
}

const crossEntropyToken: Divergence = (now, teacher, slopes, from, to) => {
  const total = logTotal(teacher, 1, from, to);
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const q = Math.exp((teacher[at] as number) - total);
    value -= q * (now[at] as number);
    slopes[at] = -q;
  }
  return value;
};
