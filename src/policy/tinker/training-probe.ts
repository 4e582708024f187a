/**
 * Finds out what a server does with a loss and with the settings of a step, on a model of its own that is thrown away. A
 * server that leaves a setting out says nothing, so the effect is measured: the gradient norm that a step reports, and how
 * far a step moves one log-probability.
 */
import { EngineError, errorCode } from "../../base/index.ts";
import { datumOf } from "./datum.ts";
import { betasFor, typeOf, type HeldType } from "./held-type.ts";
import { experiments, identifyScale, type ExperimentName, type LossScale } from "./loss-scale.ts";
import type { TrainingClient } from "./training-client.ts";
import type { AdamParams, Datum } from "./wire.ts";

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

export interface ProbeOptions {
  readonly vocabularySize: number;
  /** The type of the base model, for servers that do not tell how they hold what they are sent. */
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
