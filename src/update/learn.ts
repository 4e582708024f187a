/** Learning from an update's rows: the policy loss, what stands beside it, and the steps of the optimiser. */
import { createRng, EngineError, mean, shuffle, type OptionValue } from "../base/index.ts";
import type { Objective, Scorer, TrainRow } from "../policy/index.ts";
import { combine, objectives, type WeightedObjective } from "../objective/index.ts";
import { lossOption, withSampler, type Correction } from "./correction.ts";
import { chosenObjective } from "./objective-settings.ts";
import type { Settings } from "../recipe/settings.ts";
import type { TrainedModel } from "../training/trained-model.ts";

/** Which policy loss; "clipped" becomes the plain gradient where the update is strictly on-policy. */
export type PolicyLoss = "clipped" | "gspo";

/** A loss given whole; some compare with the start of the run. */
export type WholeLoss = WeightedObjective & { readonly needsReference?: boolean };

export interface LearnRequest {
  readonly model: TrainedModel;
  readonly settings: Settings;
  readonly start: Scorer;
  readonly seed: number;
  readonly update: number;
  readonly learningRate: number;
  /** What is done about tokens of an earlier version; nothing where all are fresh. */
  readonly correction?: Correction;
  readonly signal: AbortSignal;
}

/** Changes the weights; the answer is what was measured on the way. */
export async function learn(
  request: LearnRequest,
  rows: readonly TrainRow[],
  policyLoss: PolicyLoss | WholeLoss,
  extra: readonly WeightedObjective[],
): Promise<Record<string, number>> {
  const { model, settings, signal } = request;
  const trained = rows.filter(({ mask }) => mask.includes(1));
  if (trained.length === 0) return {};
  const corrected = lossOption(typeof policyLoss === "string" ? request.correction : undefined);
  const chosen = chosenObjective(settings, request.update, corrected);
  const policy: WeightedObjective =
    typeof policyLoss === "string"
      ? { name: "policy", weight: 1, objective: chosen?.objective ?? lossOf(request, policyLoss) }
      : policyLoss;
  const objective = combine([
    ...spoken([policy, ...valueLoss(settings, trained), ...extra], trained),
    ...besides(settings),
  ]);
  const compared = typeof policyLoss === "string" ? chosen?.needsReference : policyLoss.needsReference;
  const reference = number(settings, "klWeight") > 0 || compared === true;
  const fresh = corrected.rolloutCorrection === undefined ? trained : await withSampler(trained, model, signal);
  const ready = reference ? await withReference(fresh, request.start, signal) : fresh;
  const metrics: Record<string, number> = {};
  const losses: number[] = [];
  const norms: number[] = [];
  for (let epoch = 0; epoch < number(settings, "epochs"); epoch += 1) {
    const order = shuffle([...ready.keys()], createRng(request.seed).split(`update ${request.update} epoch ${epoch}`));
    for (const batch of split(order, number(settings, "miniBatches"))) {
      const own = batch.sort((left, right) => left - right).map((at) => ready[at] as TrainRow);
      const report = await model.backward(own, objective, { signal });
      const clipNorm = settings["clipNorm"] as number | null;
      const { gradientNorm } = await model.step({
        learningRate: request.learningRate,
        weightDecay: number(settings, "weightDecay"),
        ...(clipNorm === null ? {} : { clipNorm }),
      });
      losses.push(report.loss);
      norms.push(gradientNorm);
      for (const [name, value] of Object.entries(report.metrics)) metrics[`loss/${name}`] = value;
    }
  }
  return { ...metrics, loss: mean(losses), gradientNorm: mean(norms), learningRate: request.learningRate };
}

/** Where each batch is learned from once and in one piece, the ratio is 1 and clipping does nothing. */
function lossOf({ settings, correction }: LearnRequest, loss: PolicyLoss): Objective {
  const aggregation = { aggregation: settings["aggregation"] as never, ...lossOption(correction) };
  const clips = { clipLow: number(settings, "clipLow"), clipHigh: number(settings, "clipHigh") };
  if (loss === "gspo") return objectives.gspo.create({ ...aggregation, ...clips });
  const onPolicy = settings["epochs"] === 1 && settings["miniBatches"] === 1 && correction?.method !== "bypass";
  if (onPolicy) return objectives["policy-gradient"].create(aggregation);
  return objectives.clipped.create({ ...aggregation, ...clips, dualClip: settings["dualClip"] as number | null });
}

/** The head learns where a provider has asked it. */
function valueLoss(settings: Settings, rows: readonly TrainRow[]): WeightedObjective[] {
  const weight = settings["value-head.weight"];
  if (typeof weight !== "number" || !rows.some(({ oldValues }) => oldValues !== undefined)) return [];
  const clip = settings["value-head.clip"] as number | null;
  return [{ name: "value", weight, objective: objectives.value.create({ clip }) }];
}

/** Terms that have something to say: where every analysis failed, nobody has a teacher. */
function spoken(wanted: readonly WeightedObjective[], rows: readonly TrainRow[]): WeightedObjective[] {
  return wanted.filter(({ objective: { needs } }) =>
    needs.every((name) =>
      name === "divergence"
        ? rows.some(({ teacher }) => teacher !== undefined)
        : name !== "candidates" || rows.some(({ candidates }) => candidates !== undefined),
    ),
  );
}

/** The divergence and the entropy bonus, which every recipe has. */
function besides(settings: Settings): WeightedObjective[] {
  const aggregation = { aggregation: settings["aggregation"] as never };
  const estimator = settings["klEstimator"] as never;
  return [
    {
      name: "kl",
      weight: number(settings, "klWeight"),
      objective: objectives.kl.create({ ...aggregation, estimator }),
    },
    {
      name: "entropy",
      weight: number(settings, "entropyWeight"),
      objective: objectives["entropy-bonus"].create(aggregation),
    },
  ];
}

async function withReference(rows: readonly TrainRow[], start: Scorer, signal: AbortSignal): Promise<TrainRow[]> {
  const scored = await start.score(
    rows.map(({ ids, mask }) => ({ ids, mask })),
    { signal },
  );
  return rows.map((row, at) => ({ ...row, referenceLogprobs: Float64Array.from(scored[at]?.logprob ?? []) }));
}

/** Into so many parts of nearly equal size; fewer where there is too little. */
function split<T>(items: readonly T[], parts: number): T[][] {
  const count = Math.min(parts, items.length);
  return Array.from({ length: count }, (_, part) =>
    items.slice(Math.floor((part * items.length) / count), Math.floor(((part + 1) * items.length) / count)),
  );
}

function number(settings: Settings, name: string): number {
  const value: OptionValue | undefined = settings[name];
  if (typeof value === "number") return value;
  throw new EngineError("bad-option", `The setting ${name} is ${String(value)}; it must be a number.`);
}
