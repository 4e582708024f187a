/** Learning from an update's rows: the policy loss, what stands beside it, and the steps of the optimiser. */
import { EngineError } from "limbeck-base/base/errors";
import { shuffle } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { clipped } from "../objective/clipped.ts";
import { combine, type WeightedObjective } from "../objective/combine.ts";
import { entropyBonus } from "../objective/entropy-bonus.ts";
import { gspo } from "../objective/gspo.ts";
import { kl } from "../objective/kl.ts";
import type { ObjectiveMethod } from "../objective/objective.ts";
import { policyGradient } from "../objective/policy-gradient.ts";
import { value } from "../objective/value.ts";
import type { Objective, TrainRow } from "limbeck-policy/policy/objective";
import type { StepOptions } from "limbeck-policy/policy/policy";
import { drawsOf, measure, timePhase, type UpdateContext } from "./context.ts";
import { lossOption, withSampler } from "./correction.ts";
import type { Settings } from "./settings.ts";

/** Which policy loss; "clipped" becomes the plain gradient where every token is learned from once, and fresh. */
export type PolicyLoss = "clipped" | "gspo";

/** A loss given whole; some compare with the start of the run. */
export type WholeLoss = WeightedObjective & { readonly needsReference?: boolean };

/**
 * Changes the weights: policy loss, the divergence and entropy settings, and what the recipe adds. A named loss gives
 * way to the setting `objective`; one that is given whole does not. Gives what was measured on the way.
 *
 * @example
 * import { getRecipe, collect, credit as giveCredit } from "limbeck/update";
 * import type { Recipe } from "limbeck";
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
  return await timePhase(update, "learn", async () => {
    const trained = rows.filter(({ mask }) => mask.includes(1));
    if (trained.length === 0) return {};
    const own = policyTerm(update, policyLoss, tellStale(update, trained) > 0);
    const values = valueTerm(update, trained);
    const policy = values.length > 0 && isWarmingUp(update) ? { ...own, weight: 0 } : own;
    const terms = [policy, ...values, ...extra.map((term) => noteDivergence(update, term))];
    const beside = [...terms.slice(1).filter((term) => hasRows(term, trained)), ...sharedTerms(update)];
    if (typeof policyLoss === "string" && isIdle(update, beside, trained)) {
      const still = { loss: 0, gradientNorm: 0, learningRate: update.learningRate, idle: 1 };
      measure(update, still);
      return still;
    }
    const objective = combine([...(hasRows(policy, trained) ? [policy] : []), ...beside]);
    const measured = await takeSteps(update, await readyRows(update, trained, policy), objective);
    measure(update, measured);
    warnOfStill(update, policyLoss, trained, measured);
    return measured;
  });
}

/** Whether nothing is taught: no advantage anywhere, and nothing beside. A step would only go on by the momentum of earlier ones. */
function isIdle(
  { policyLoss: chosen, settings: { idleSteps } }: UpdateContext,
  beside: readonly WeightedObjective[],
  rows: readonly TrainRow[],
): boolean {
  if (idleSteps || chosen !== undefined || beside.some(({ weight }) => weight !== 0)) return false;
  return rows.every(({ advantages }) => advantages?.every((one) => one === 0) === true);
}

/** The same term; the divergence at each token is kept, for views. */
function noteDivergence({ record: { divergences } }: UpdateContext, term: WeightedObjective): WeightedObjective {
  const { objective } = term;
  const compute: Objective["compute"] = (live, frozen, rows) => {
    const result = objective.compute(live, frozen, rows);
    const met = objective.needs.includes("divergence") ? live.divergence : result.divergence;
    const read = objective.needs.includes("divergence") ? live.divergence : live.candidates;
    for (const [at, { ids }] of rows.entries()) {
      const values = met?.[at];
      // A learner may first ask for weights alone, with zeros in the place of statistics.
      const isRead = read?.[at]?.some((one) => one !== 0) === true;
      if (values !== undefined && isRead && !divergences.has(ids)) divergences.set(ids, values.slice());
    }
    return result;
  };
  return { ...term, objective: { ...objective, compute } };
}

/** Share of the update's tokens that an older version of the policy sampled. Gives how many of these rows they are. */
function tellStale(update: UpdateContext, rows: readonly TrainRow[]): number {
  const { trained, stale } = countStale(rows, update.model.ref.version);
  // A recipe may learn from several sets of rows.
  const { trainedTokens = 0, staleShare = 0 } = update.record.metrics;
  const all = trainedTokens + trained;
  measure(update, { trainedTokens: all, staleShare: (staleShare * trainedTokens + stale) / Math.max(1, all) });
  return stale;
}

/** A loss that lives on ratios is the plain gradient where none of them has moved. */
function warnOfStill(
  { policyLoss: chosen, record }: UpdateContext,
  loss: PolicyLoss | WholeLoss,
  rows: readonly TrainRow[],
  { ratioSpread = 1, gradientNorm = 0 }: Readonly<Record<string, number>>,
): void {
  // Where nothing is learned nothing moves.
  if (typeof loss !== "string" || ratioSpread >= LEAST_SPREAD || gradientNorm === 0) return;
  const scaled = rows.some(({ clipScales }) => clipScales !== undefined);
  const who = chosen?.id ?? (loss === "gspo" ? loss : scaled ? "the clip range of the credit method" : undefined);
  if (who === undefined || (chosen !== undefined && chosen.ratios === undefined)) return;
  record.notices.push(
    `${who} lives on ratios, and none has left 1: this is the plain policy gradient. Set epochs or miniBatches above 1.`,
  );
}

type PolicyTerm = WholeLoss & { readonly needsSampler?: boolean };

function policyTerm(update: UpdateContext, loss: PolicyLoss | WholeLoss, hasStale: boolean): PolicyTerm {
  if (typeof loss !== "string") return loss;
  const { policyLoss, correction } = update;
  const corrected = lossOption(correction);
  // Where a correction was chosen, it says what becomes of older tokens; otherwise their ratios do.
  const byRatio = correction === undefined ? hasStale : correction.method === "bypass";
  const objective =
    policyLoss === undefined ? ownLoss(update, loss, byRatio) : chosenLoss(update, policyLoss, corrected, byRatio);
  return {
    name: "policy",
    weight: 1,
    objective: watchRatios(objective),
    needsReference: policyLoss?.rowFields.includes("referenceLogprobs") === true,
    needsSampler: corrected.rolloutCorrection !== undefined,
  };
}

/** The loss of the setting `objective`; the number of the update, of how many, drives annealing. */
function chosenLoss(
  { settings, update, updates }: UpdateContext,
  method: ObjectiveMethod,
  corrected: ReturnType<typeof lossOption>,
  byRatio: boolean,
): Objective {
  if (Object.keys(corrected).some((name) => !Object.hasOwn(method.options, name))) {
    throw new EngineError(
      "needs-unmet",
      `The objective ${method.id} cannot weigh tokens of an earlier version. Choose --correction bypass or none, or another --objective.`,
      { details: { objective: method.id } },
    );
  }
  const told = { step: update, ...(updates === undefined ? {} : { updates }), ...(byRatio ? { ratio: true } : {}) };
  const { name: _name, ...chosen } = settings.objective;
  const known = Object.fromEntries(Object.entries(told).filter(([name]) => Object.hasOwn(method.options, name)));
  return method.create({ ...chosen, ...known, ...corrected });
}

/** Where fresh tokens are learned from once and in one piece, the ratio is 1 and clipping does nothing. */
function ownLoss({ settings, correction }: UpdateContext, loss: PolicyLoss, byRatio: boolean): Objective {
  const { aggregation, clipLow, clipHigh, dualClip, epochs, miniBatches } = settings;
  const corrected = lossOption(correction);
  if (loss === "gspo") return gspo.create({ ...corrected, clipLow, clipHigh });
  if (epochs === 1 && miniBatches === 1 && !byRatio) return policyGradient.create({ aggregation, ...corrected });
  return clipped.create({ aggregation, ...corrected, clipLow, clipHigh, dualClip });
}

/** The head learns where a provider has asked it. */
function valueTerm(
  { settings: { "value-head": head = {} } }: UpdateContext,
  rows: readonly TrainRow[],
): WeightedObjective[] {
  const { weight, clip = null } = head;
  if (weight === undefined || !rows.some(({ oldValues }) => oldValues !== undefined)) return [];
  return [{ name: "value", weight, objective: value.create({ clip }) }];
}

function isWarmingUp({ settings: { "value-head": head = {} }, update }: UpdateContext): boolean {
  return head.warmUp !== undefined && update <= head.warmUp;
}

/** Where every analysis failed there is no teacher, and its term is empty. */
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
  const { epochs, miniBatches } = settings;
  const step = { learningRate, ...stepSettings(settings) };
  const losses: number[] = [];
  const norms: number[] = [];
  const reports: Readonly<Record<string, number>>[] = [];
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const order = shuffle([...rows.keys()], drawsOf(update, `epoch ${epoch}`));
    for (const batch of split(order, miniBatches)) {
      const own = batch.sort((left, right) => left - right).map((at) => rows[at] as TrainRow);
      const report = await model.backward(own, objective, { signal });
      const { gradientNorm } = await model.step(step);
      losses.push(report.loss);
      norms.push(gradientNorm);
      reports.push(report.metrics);
    }
  }
  return {
    ...lossMetrics(reports),
    ...ratioMetrics(reports),
    loss: mean(losses),
    gradientNorm: mean(norms),
    learningRate,
  };
}

/** Those of a step, but for its rate. */
export function stepSettings(settings: Settings): Omit<StepOptions, "learningRate"> {
  const { beta1, beta2, epsilon, weightDecay, clipNorm } = settings;
  return {
    beta1,
    epsilon,
    weightDecay,
    ...(beta2 === null ? {} : { beta2 }),
    ...(clipNorm === null ? {} : { clipNorm }),
  };
}

/** Means over the steps that have them, as the loss itself. */
function lossMetrics(reports: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(reports.flatMap((report) => Object.keys(report)));
  return Object.fromEntries(
    [...names].map((name) => [`loss/${name}`, mean(reports.flatMap((report) => report[name] ?? []))]),
  );
}

/** How far ratios came from 1 in any step, and the share of tokens that were clipped, over all steps. */
function ratioMetrics(reports: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const [spreads, clipped] = ["ratioSpread", "clipFraction"].map((name) =>
    reports.flatMap((report) => report[`policy/${name}`] ?? []),
  ) as [number[], number[]];
  return {
    ...(spreads.length === 0 ? {} : { ratioSpread: Math.max(...spreads) }),
    ...(clipped.length === 0 ? {} : { clipFraction: mean(clipped) }),
  };
}

/** Into so many parts of nearly equal size; fewer where there is too little. */
function split<T>(items: readonly T[], parts: number): T[][] {
  const count = Math.min(parts, items.length);
  return Array.from({ length: count }, (_, part) =>
    items.slice(Math.floor((part * items.length) / count), Math.floor(((part + 1) * items.length) / count)),
  );
}

// How far the policy stands from the one that sampled the tokens: by their versions before it learns, and by the ratios of
// their probabilities while it does.

/** Below this no ratio has left 1. Single precision alone makes 4e-7 with the bundled models, one step of learning 1e-2. */
const LEAST_SPREAD = 1e-5;

/** Trained tokens, and how many of them another version sampled. */
function countStale(
  rows: readonly TrainRow[],
  version: number | undefined,
): { readonly trained: number; readonly stale: number } {
  let [trained, stale] = [0, 0];
  for (const { mask, versions } of rows) {
    for (let token = 0; token < mask.length; token += 1) {
      if (mask[token] !== 1) continue;
      trained += 1;
      if (version !== undefined && versions !== undefined && versions[token] !== version) stale += 1;
    }
  }
  return { trained, stale };
}

/** The same objective; it also measures the ratios that its learner meets. */
function watchRatios(objective: Objective): Objective {
  if (!objective.needs.includes("logprob")) return objective;
  return {
    ...objective,
    compute: (live, frozen, rows) => {
      const result = objective.compute(live, frozen, rows);
      return { ...result, metrics: { ...result.metrics, ratioSpread: spreadOf(live.logprob ?? [], rows) } };
    },
  };
}

/** Root of the mean squared log-ratio over the trained tokens whose old log-probabilities are known. */
function spreadOf(logprobs: readonly Float64Array[], rows: readonly TrainRow[]): number {
  let [squares, tokens] = [0, 0];
  for (const [at, { mask, oldLogprobs }] of rows.entries()) {
    if (oldLogprobs === undefined) continue;
    for (let token = 1; token < mask.length; token += 1) {
      if (mask[token] !== 1) continue;
      squares += ((logprobs[at]?.[token] ?? 0) - (oldLogprobs[token] ?? 0)) ** 2;
      tokens += 1;
    }
  }
  return tokens === 0 ? 0 : Math.sqrt(squares / tokens);
}
