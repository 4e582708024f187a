/**
 * Methods in combination, in one order: estimator (with its own shaping and filter), step part, whitening, teachers,
 * mask. Teachers come after whitening unless told, since their published weights assume an absolute scale.
 */
import { resolveOptions } from "../base/index.ts";
import { prepareBatch, sumTerms } from "./assign.ts";
import type { CreditMethod, CreditBatch, CreditResult, IndexedBatch, Term, Terms } from "./credit.ts";
import { stateAdvantages, stateMetrics, type StateOptions, type StepBatch } from "./gigpo.ts";
import { requireNeeds } from "./needs.ts";
import { teacherParts, type TeacherPartOptions } from "./opid.ts";
import { whitening } from "./whiten.ts";

export interface Composition {
  /** Any method of the registry, with its options. */
  readonly outcome: { readonly credit: CreditMethod; readonly options?: Readonly<Record<string, unknown>> };
  /** GiGPO's step part. */
  readonly step?: StateOptions & { readonly weight: number };
  /** OPID's teachers. */
  readonly teacher?: TeacherPartOptions;
  readonly whiten?: "never" | "before-teacher" | "after-teacher";
}

export function composeCredit(batch: CreditBatch | IndexedBatch, composition: Composition): CreditResult {
  const { outcome, step, teacher, whiten = "never" } = composition;
  const prepared = "index" in batch ? batch : prepareBatch(batch);
  const { title } = outcome.credit.info;
  requireNeeds(outcome.credit.needs, prepared, title);
  let terms = outcome.credit.compute(prepared, resolveOptions(outcome.credit.options, outcome.options ?? {}, title));
  if (step !== undefined) terms = withStep(prepared, terms, step);
  if (whiten === "before-teacher") terms = whitened(prepared, terms);
  if (teacher !== undefined) {
    const parts = teacherParts(prepared, teacher);
    terms = { ...terms, terms: { ...terms.terms, ...parts.terms }, metrics: { ...terms.metrics, ...parts.metrics } };
  }
  if (whiten === "after-teacher") terms = whitened(prepared, terms);
  return sumTerms(prepared, terms);
}

function withStep(batch: IndexedBatch, terms: Terms, options: StateOptions & { readonly weight: number }): Terms {
  requireNeeds(["states", "stepRewards"], batch, "the step part");
  const step = stateAdvantages(batch as StepBatch, options);
  return {
    ...terms,
    terms: { ...terms.terms, step: { weight: options.weight, perRow: step.advantages } },
    metrics: { ...terms.metrics, ...stateMetrics(step, batch.rows.length) },
  };
}

/** Whitening a sum scales the weight of each part and takes one mean off, so the parts stay visible. */
function whitened(batch: IndexedBatch, computed: Terms): Terms {
  const found = whitening(batch, sumTerms(batch, computed).advantages);
  if (found === undefined) return computed;
  const terms: Record<string, Term> = {};
  for (const [name, term] of Object.entries(computed.terms)) {
    terms[name] = { ...term, weight: term.weight * found.scale };
  }
  const earlier = terms["batchMean"];
  const perRow = new Float64Array(batch.rows.length).fill(found.mean);
  // An estimator that whitens by itself has a mean of its own.
  terms[earlier === undefined ? "batchMean" : "secondBatchMean"] = { weight: -found.scale, perRow };
  return { ...computed, terms };
}
