/**
 * Finds out what a server does with a loss and with the settings of a step, on a model of its own that is thrown away. A
 * server that leaves a setting out says nothing, so the effect is measured: the gradient norm that a step reports, and how
 * far a step moves one log-probability.
 */
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { datumOf } from "./datum.ts";
import type { TrainingClient } from "./training-client.ts";
import type { AdamParams, Datum } from "./wire.ts";
import type { StepOptions } from "../policy.ts";

/** How a server trains, as far as the same step depends on it. */
export interface TrainingProfile {
  readonly lossScale: LossScale;
  /** False: the scale is the documented one, because the server reports no gradient norm to measure it by. */
  readonly measured: boolean;
  /** Settings of a step that have no effect, by the names of `StepOptions`. */
  readonly ignored: readonly IgnoredSetting[];
  /** The type in which it holds the settings of a step, where that is known. */
  readonly held?: HeldType | undefined;
}

export type IgnoredSetting = "beta1" | "beta2" | "clipNorm" | "epsilon" | "weightDecay";

/** Without memory, and so small that the ratios of norms stay. No type but float32 holds this rate as it is. */
const STILL: AdamParams = {
  learning_rate: 1e-12,
  beta1: 0,
  beta2: 0,
  eps: 1e-8,
  weight_decay: 0,
  grad_clip_norm: 0,
};
/** A change of a log-probability that is no rounding, in bfloat16 either. */
const VISIBLE = 0.03;

interface ProbeOptions {
  readonly vocabularySize: number;
  /** The type of the base model, for servers that do not report how they hold what they are sent. */
  readonly weightsType?: HeldType | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function probeTraining(model: TrainingClient, options: ProbeOptions): Promise<TrainingProfile> {
  const { vocabularySize, signal } = options;
  const tokens = Int32Array.from({ length: 9 }, (_, at) => (at * 7 + 1) % vocabularySize);
  const norms: Partial<Record<ExperimentName, number>> = {};
  let told: HeldType | undefined;
  for (const name of Object.keys(experiments) as ExperimentName[]) {
    await model.forwardBackward(datumsOf(tokens, name), { loss: "importance_sampling", signal });
    const metrics = await model.optimStep(STILL, signal);
    norms[name] = gradientNorm(metrics);
    told ??= typeOf(STILL.learning_rate, metricOf(metrics, /learning_?rate/i));
  }
  const held = told ?? options.weightsType;
  const known = norms as Record<ExperimentName, number>;
  if (Object.values(known).some((norm) => !(norm > 0))) {
    await requireFinite(model, tokens, held, signal);
    return { lossScale: "sum", measured: false, ignored: [], held };
  }
  const lossScale = identifyScale(known);
  if (lossScale === undefined) {
    const shown = Object.entries(known).map(([name, norm]) => `${name} ${norm.toPrecision(4)}`);
    throw new EngineError(
      "trainer-loss-scale",
      `The trainer scales losses in a way that is not known here (gradient norms: ${shown.join(", ")}), so a step would not be the one that was asked for. Give the scale yourself, if you know it.`,
      { details: { norms: known } },
    );
  }
  const ignored = await ignoredSettings(model, tokens, known.alone, signal);
  await requireFinite(model, tokens, held, signal);
  return { lossScale, measured: true, ignored, held };
}

/** Two steps as a training makes them, with a memory; a server whose parameters do not survive them is refused before it. */
async function requireFinite(
  model: TrainingClient,
  tokens: Int32Array,
  held: HeldType | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const data = datumsOf(tokens, "alone");
  const betas = betasFor(held, {});
  const options = { loss: "importance_sampling", signal } as const;
  try {
    for (let step = 0; step < 2; step += 1) {
      await model.forwardBackward(data, options);
      await model.optimStep({ ...STILL, ...betas }, signal);
    }
    await model.forward(data, options);
  } catch (error) {
    if (errorCode(error) !== "trainer-not-finite") throw error;
    throw new EngineError(
      "trainer-not-finite",
      `The trainer's parameters become NaN by a plain step of Adam (beta1 ${betas.beta1}, beta2 ${betas.beta2}, epsilon ${STILL.eps}, learning rate ${STILL.learning_rate}): it holds the settings of a step in a type where such a beta is 1, as SkyRL does with a bfloat16 model. Nothing was trained. Start it anew with the model in float32, or give the type of the base model in config.json ("dtype": "bfloat16"), so that a beta that fits is chosen.`,
      { details: { ...betas }, cause: error },
    );
  }
}

/** The norm that a step reported, under whatever name; NaN where it did not. */
export function gradientNorm(metrics: Readonly<Record<string, number>>): number {
  return metricOf(metrics, /grad(ient)?_?norm/i);
}

function metricOf(metrics: Readonly<Record<string, number>>, named: RegExp): number {
  const name = Object.keys(metrics).find((key) => named.test(key));
  return name === undefined ? Number.NaN : (metrics[name] as number);
}

/** One token with advantage 1 at the third place; the ratio is made to be 1 at the base model only roughly. */
function datumsOf(tokens: Int32Array, name: ExperimentName): Datum[] {
  const all = experiments[name];
  return all.map(({ weight, length }, at) => {
    const size = length + 1;
    const trained = at === 0 || name === "copies";
    const masked = weight < length;
    return datumOf(tokens, size, {
      weights: Float64Array.from({ length: size }, (_, token) => (masked && token !== TRAINED ? 0 : 1)),
      logprobs: new Float64Array(size).fill(-4),
      advantages: Float64Array.from({ length: size }, (_, token) => (trained && token === TRAINED ? 1 : 0)),
    });
  });
}

const TRAINED = 3;

/**
 * Steps without memory (both betas 0), each moving a parameter by rate * g / (|g| + eps). Against a step that is as sharp
 * as can be, one with a huge eps moves nothing; against one with a middling eps, a gradient clipped to a millionth moves
 * nothing. Where they move all the same, the setting has no effect.
 */
async function ignoredSettings(
  model: TrainingClient,
  tokens: Int32Array,
  norm: number,
  signal: AbortSignal | undefined,
): Promise<IgnoredSetting[]> {
  const data = datumsOf(tokens, "alone");
  const options = { loss: "importance_sampling", signal } as const;
  const trained = (logprobs: readonly Float64Array[]): number => logprobs[0]?.[TRAINED - 1] ?? Number.NaN;
  const moved = async (adam: Partial<AdamParams>): Promise<number> => {
    const before = trained((await model.forwardBackward(data, options)).logprobs);
    await model.optimStep({ ...STILL, ...adam }, signal);
    return Math.abs(trained((await model.forward(data, options)).logprobs) - before);
  };
  let rate = 1e-5;
  let sharp = 0;
  while (sharp < VISIBLE && rate < 0.1) {
    rate *= 10;
    sharp = await moved({ learning_rate: rate, eps: 1e-12 });
  }
  const flat = await moved({ learning_rate: rate, eps: norm * 1e6 });
  const free = await moved({ learning_rate: rate, eps: norm * 1e-3 });
  const clipped = await moved({ learning_rate: rate, eps: norm * 1e-3, grad_clip_norm: norm * 1e-6 });
  return [
    ...(clipped > free / 3 ? (["clipNorm"] as const) : []),
    ...(flat > sharp / 3 ? (["beta1", "beta2", "epsilon", "weightDecay"] as const) : []),
  ];
}

// Types in which a server may hold the settings of a step. SkyRL on JAX holds them in the type of the model: in bfloat16
// the numbers below 1 end at 1 - 2^-8, so a beta2 of 0.999 is 1, Adam's correction divides by 1 - 1, and every parameter
// of that server, also of its other models, is NaN from then on. Steps report the learning rate as it is held, which tells
// the type without such a step.

/** With the bits of its significand. */
const heldTypes = { float32: 24, float16: 11, bfloat16: 8 } as const;
export type HeldType = keyof typeof heldTypes;

const STANDARD = { beta1: 0.9, beta2: 0.999 } as const;
/** In the place of a beta2 that the trainer's type cannot hold. */
const COARSE_BETA2 = 0.99;
const EQUAL = 2 ** -20;

/** The nearest number that a type holds, whatever its exponent. */
export function heldIn(type: HeldType, value: number): number {
  if (value === 0) return 0;
  const step = 2 ** (Math.floor(Math.log2(Math.abs(value))) - heldTypes[type] + 1);
  return Math.round(value / step) * step;
}

/** The type in which a number that was sent came back as this; undefined where it is none of them. */
export function typeOf(sent: number, told: number): HeldType | undefined {
  const names = Object.keys(heldTypes) as HeldType[];
  return names.find((type) => Math.abs(told - heldIn(type, sent)) <= EQUAL * sent);
}

/** The name of a type in a model's configuration. */
export function namedType(name: unknown): HeldType | undefined {
  return typeof name === "string" && Object.hasOwn(heldTypes, name) ? (name as HeldType) : undefined;
}

/** Both betas, as they can be sent; one that was asked for and would be 1 is refused. */
export function betasFor(
  type: HeldType | undefined,
  { beta1 = STANDARD.beta1, beta2 }: Pick<StepOptions, "beta1" | "beta2">,
): { readonly beta1: number; readonly beta2: number } {
  const fits = (value: number): boolean => type === undefined || heldIn(type, value) < 1;
  for (const [name, value] of Object.entries({ beta1, ...(beta2 === undefined ? {} : { beta2 }) })) {
    if (fits(value)) continue;
    throw new EngineError(
      "bad-option",
      `${name} is ${value}; the trainer holds the settings of a step in ${type}, where that is 1 and every parameter would become NaN. Take one below ${below(type as HeldType)}, or a base model in float32.`,
      { details: { [name]: value, type } },
    );
  }
  return { beta1, beta2: beta2 ?? (fits(STANDARD.beta2) ? STANDARD.beta2 : COARSE_BETA2) };
}

/** Notice where the standard betas do not fit; undefined where they do. */
export function coarseWords(type: HeldType | undefined): string | undefined {
  const { beta2 } = betasFor(type, {});
  if (beta2 === STANDARD.beta2) return undefined;
  return `The trainer holds the settings of a step in ${type}, where a beta2 of ${STANDARD.beta2} is 1; steps are made with ${beta2}. --set beta2=N chooses another below ${below(type as HeldType)}.`;
}

/** Half a step below 1, from where on a number becomes 1. */
function below(type: HeldType): number {
  return 1 - 2 ** -(heldTypes[type] + 1);
}

/**
 * How a server makes one loss of token losses, and how to ask it for a given gradient all the same.
 *
 * Servers differ in what they divide by: nothing (the hosted service, `limbeck trainer`), the weights of a sequence and
 * the number of sequences (SkyRL on JAX), or what a trainer's configuration says. The token loss of importance sampling is
 * -w r A with r = exp(lp - q). With q the current log-probability, r is 1, its derivative is -w A, and a server that
 * divides by c gives -w A / c. So A = -c d with w = 1 on the trained tokens gives the derivative d that was wanted.
 */
export type LossScale =
  | "sum"
  | "datum-mean"
  | "sequence-mean"
  | "sequence-mean-of-length"
  | "sequence-sum"
  | "sequence-sum-of-length"
  | "token-mean"
  | "token-mean-of-length";

/** Sizes of one datum: the sum of its weights, and its tokens. */
export interface DatumSize {
  readonly weight: number;
  readonly length: number;
}

interface Scale {
  /** What the server divides a datum's token losses by, given everything between two steps. */
  readonly divisor: (own: DatumSize, all: readonly DatumSize[]) => number;
  readonly meaning: string;
}

export const lossScales: Readonly<Record<LossScale, Scale>> = {
  sum: { divisor: () => 1, meaning: "token losses are summed" },
  "datum-mean": { divisor: (_, all) => all.length, meaning: "summed, divided by the number of sequences" },
  "sequence-mean": {
    divisor: ({ weight }, all) => weight * all.length,
    meaning: "divided by the sequence's weights, then by the number of sequences",
  },
  "sequence-mean-of-length": {
    divisor: ({ length }, all) => length * all.length,
    meaning: "divided by the sequence's length, then by the number of sequences",
  },
  "sequence-sum": { divisor: ({ weight }) => weight, meaning: "divided by the sequence's weights, then summed" },
  "sequence-sum-of-length": {
    divisor: ({ length }) => length,
    meaning: "divided by the sequence's length, then summed",
  },
  "token-mean": {
    divisor: (_, all) => all.reduce((total, { weight }) => total + weight, 0),
    meaning: "divided by all weights of the batch",
  },
  "token-mean-of-length": {
    divisor: (_, all) => all.reduce((total, { length }) => total + length, 0),
    meaning: "divided by all tokens of the batch",
  },
};

/** One measurement: gradients of the first datum's one trained token, next to others that train nothing. */
type Experiment = readonly DatumSize[];

const LONG = 8;
const SHORT = 4;

/**
 * The same token with the same advantage, in five settings. What changes between them is only what a server may divide
 * by, so ratios of gradient norms name the divisor. `copies` trains the token twice.
 */
const experiments = {
  alone: [{ weight: SHORT, length: SHORT }],
  otherwiseMasked: [{ weight: 1, length: SHORT }],
  longer: [{ weight: LONG, length: LONG }],
  copies: [
    { weight: SHORT, length: SHORT },
    { weight: SHORT, length: SHORT },
  ],
  beside: [
    { weight: SHORT, length: SHORT },
    { weight: LONG, length: LONG },
  ],
} as const satisfies Readonly<Record<string, Experiment>>;

type ExperimentName = keyof typeof experiments;

/** The scale under which the measured norms would have come out, if there is one. */
export function identifyScale(norms: Readonly<Record<ExperimentName, number>>): LossScale | undefined {
  const measured = ratios(norms);
  const fitting = (Object.keys(lossScales) as LossScale[]).filter((name) => {
    const expected = ratios(expectedNorms(name));
    return expected.every((ratio, at) => Math.abs((measured[at] as number) / ratio - 1) < 0.05);
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}

function expectedNorms(name: LossScale): Readonly<Record<ExperimentName, number>> {
  const { divisor } = lossScales[name];
  const norm = (all: Experiment, trained: number): number =>
    all.slice(0, trained).reduce((total, own) => total + 1 / divisor(own, all), 0);
  return {
    alone: norm(experiments.alone, 1),
    otherwiseMasked: norm(experiments.otherwiseMasked, 1),
    longer: norm(experiments.longer, 1),
    copies: norm(experiments.copies, 2),
    beside: norm(experiments.beside, 1),
  };
}

function ratios(norms: Readonly<Record<ExperimentName, number>>): readonly number[] {
  const { alone, ...others } = norms;
  return [others.otherwiseMasked, others.longer, others.copies, others.beside].map((norm) => norm / alone);
}
