/** Learning from an update's rows: the policy loss, what stands beside it, and the steps of the optimiser. */
import { EngineError } from "../base/errors.ts";
import { shuffle } from "../base/rng.ts";
import { mean } from "../base/statistics/summary.ts";
import { clipped } from "../objective/clipped.ts";
import { combine, type WeightedObjective } from "../objective/combine.ts";
import { entropyBonus } from "../objective/entropy-bonus.ts";
import { gspo } from "../objective/gspo.ts";
import { kl } from "../objective/kl.ts";
import type { ObjectiveMethod } from "../objective/objective.ts";
import { policyGradient } from "../objective/policy-gradient.ts";
import { value } from "../objective/value.ts";
import type { Objective, TrainRow } from "../policy/objective.ts";
import { drawsOf, measure, timed, type UpdateContext } from "./context.ts";
import { lossOption, withSampler } from "./correction.ts";
import { settingsUnder } from "./settings.ts";

/** Which policy loss; "clipped" becomes the plain gradient where the update is strictly on-policy. */
export type PolicyLoss = "clipped" | "gspo";

/** A loss given whole; some compare with the start of the run. */
export type WholeLoss = WeightedObjective & { readonly needsReference?: boolean };

/**
 * Changes the weights: policy loss, the divergence and entropy settings, and what the recipe adds. A named loss gives
 * way to the setting `objective`; one that is given whole does not. Gives what was measured on the way.
 *
 * @example
 * import { getRecipe, type Recipe } from "limbeck/recipe";
 * import { collect, credit as giveCredit } from "limbeck/update";
 *
 * const recipe: Recipe = {
 *   ...getRecipe("grpo"),
 *   update: async (update) => {
 *     const { rows } = await giveCredit(update, await collect(update));
 *     const measured = await learn(update, rows, "clipped");
 *     console.log(Object.keys(measured).length > 0); // true
 *   },
 * };
 * const settings = { tasks: 1, group: 2, maxSteps: 1, answerTokens: 4 };
 * await train({ recipe, env: "countdown", steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings });
 */
export async function learn(
  update: UpdateContext,
  rows: readonly TrainRow[],
  policyLoss: PolicyLoss | WholeLoss,
  extra: readonly WeightedObjective[] = [],
): Promise<Readonly<Record<string, number>>> {
  return await timed(update, "learn", async () => {
    const trained = rows.filter(({ mask }) => mask.includes(1));
    if (trained.length === 0) return {};
    const policy = policyTerm(update, policyLoss);
    const terms = [policy, ...valueTerm(update, trained), ...extra];
    const objective = combine([...terms.filter((term) => hasRows(term, trained)), ...sharedTerms(update)]);
    const measured = await takeSteps(update, await readyRows(update, trained, policy), objective);
    measure(update, measured);
    return measured;
  });
}

type PolicyTerm = WholeLoss & { readonly needsSampler?: boolean };

function policyTerm(update: UpdateContext, loss: PolicyLoss | WholeLoss): PolicyTerm {
  if (typeof loss !== "string") return loss;
  const corrected = lossOption(update.correction);
  const { policyLoss } = update;
  return {
    name: "policy",
    weight: 1,
    objective: policyLoss === undefined ? ownLoss(update, loss) : chosenLoss(update, policyLoss, corrected),
    needsReference: policyLoss?.rowFields.includes("referenceLogprobs") === true,
    needsSampler: corrected.rolloutCorrection !== undefined,
  };
}

/** The loss of the setting `objective`; the number of the update drives annealing. */
function chosenLoss(
  { settings, update }: UpdateContext,
  method: ObjectiveMethod,
  corrected: Readonly<Record<string, unknown>>,
): Objective {
  if (Object.keys(corrected).some((name) => !Object.hasOwn(method.options, name))) {
    throw new EngineError(
      "needs-unmet",
      `The objective ${method.id} cannot weigh tokens of an earlier version. Choose --correction bypass or none, or another --objective.`,
      { details: { objective: method.id } },
    );
  }
  const step = Object.hasOwn(method.options, "step") ? { step: update - 1 } : {};
  return method.create({ ...settingsUnder(settings, "objective."), ...step, ...corrected });
}

/** Where each batch is learned from once and in one piece, the ratio is 1 and clipping does nothing. */
function ownLoss({ settings, correction }: UpdateContext, loss: PolicyLoss): Objective {
  const { aggregation, clipLow, clipHigh, dualClip, epochs, miniBatches } = settings;
  const corrected = lossOption(correction);
  if (loss === "gspo") return gspo.create({ ...corrected, clipLow, clipHigh });
  const onPolicy = epochs === 1 && miniBatches === 1 && correction?.method !== "bypass";
  if (onPolicy) return policyGradient.create({ aggregation, ...corrected });
  return clipped.create({ aggregation, ...corrected, clipLow, clipHigh, dualClip });
}

/** The head learns where a provider has asked it. */
function valueTerm({ settings }: UpdateContext, rows: readonly TrainRow[]): WeightedObjective[] {
  const weight = settings["value-head.weight"];
  if (typeof weight !== "number" || !rows.some(({ oldValues }) => oldValues !== undefined)) return [];
  const clip = settings["value-head.clip"] as number | null;
  return [{ name: "value", weight, objective: value.create({ clip }) }];
}

/** Where every analysis failed, nobody has a teacher, and a term about the teacher has nothing to say. */
function hasRows({ objective: { needs } }: WeightedObjective, rows: readonly TrainRow[]): boolean {
  return needs.every((name) =>
    name === "divergence"
      ? rows.some(({ teacher }) => teacher !== undefined)
      : name !== "candidates" || rows.some(({ candidates }) => candidates !== undefined),
  );
}

/** The divergence and the entropy bonus, which every recipe has. */
function sharedTerms({ settings }: UpdateContext): WeightedObjective[] {
  const { aggregation, klEstimator: estimator, klWeight, entropyWeight } = settings;
  return [
    { name: "kl", weight: klWeight, objective: kl.create({ aggregation, estimator }) },
    { name: "entropy", weight: entropyWeight, objective: entropyBonus.create({ aggregation }) },
  ];
}

/** Rows with what the loss compares them with: the sampler's own likelihoods, those of the start. */
async function readyRows(
  { settings, model, start, signal }: UpdateContext,
  rows: readonly TrainRow[],
  { needsReference, needsSampler }: PolicyTerm,
): Promise<readonly TrainRow[]> {
  const fresh = needsSampler === true ? await withSampler(rows, model, signal) : rows;
  if (settings.klWeight === 0 && needsReference !== true) return fresh;
  const scored = await start.score(
    fresh.map(({ ids, mask }) => ({ ids, mask })),
    { signal },
  );
  return fresh.map((row, at) => ({ ...row, referenceLogprobs: Float64Array.from(scored[at]?.logprob ?? []) }));
}

async function takeSteps(
  update: UpdateContext,
  rows: readonly TrainRow[],
  objective: Objective,
): Promise<Record<string, number>> {
  const { model, learningRate, settings, signal } = update;
  const { epochs, miniBatches, weightDecay, clipNorm } = settings;
  const metrics: Record<string, number> = {};
  const losses: number[] = [];
  const norms: number[] = [];
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const order = shuffle([...rows.keys()], drawsOf(update, `epoch ${epoch}`));
    for (const batch of split(order, miniBatches)) {
      const own = batch.sort((left, right) => left - right).map((at) => rows[at] as TrainRow);
      const report = await model.backward(own, objective, { signal });
      const limit = clipNorm === null ? {} : { clipNorm };
      const { gradientNorm } = await model.step({ learningRate, weightDecay, ...limit });
      losses.push(report.loss);
      norms.push(gradientNorm);
      for (const [name, value] of Object.entries(report.metrics)) metrics[`loss/${name}`] = value;
    }
  }
  return { ...metrics, loss: mean(losses), gradientNorm: mean(norms), learningRate };
}

/** Into so many parts of nearly equal size; fewer where there is too little. */
function split<T>(items: readonly T[], parts: number): T[][] {
  const count = Math.min(parts, items.length);
  return Array.from({ length: count }, (_, part) =>
    items.slice(Math.floor((part * items.length) / count), Math.floor(((part + 1) * items.length) / count)),
  );
}
