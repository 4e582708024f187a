import { describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { AGGREGATIONS } from "./aggregation.ts";
import { candidateDivergence } from "./candidate-divergence.ts";
import { advantageRegression } from "./advantage-regression.ts";
import { aopd } from "./aopd.ts";
import { cispo } from "./cispo.ts";
import { clipCov } from "./clip-cov.ts";
import { clipped } from "./clipped.ts";
import { combine } from "./combine.ts";
import { coGrpo } from "./co-grpo.ts";
import { crossEntropy } from "./cross-entropy.ts";
import { ctpo } from "./ctpo.ts";
import { dpo } from "./dpo.ts";
import { entropyBonus } from "./entropy-bonus.ts";
import { gmpo } from "./gmpo.ts";
import { gspo } from "./gspo.ts";
import { type ObjectiveId, allObjectives } from "./registry.ts";
import { KL_ESTIMATORS } from "./kl-estimators.ts";
import { holderpo } from "./holderpo.ts";
import { klCov } from "./kl-cov.ts";
import { kl } from "./kl.ts";
import { objectiveContract, objectiveLaws, type ObjectiveCase } from "./objective.contract.ts";
import { opidAuxiliary } from "./opid-auxiliary.ts";
import { otr } from "./otr.ts";
import { policyGradient } from "./policy-gradient.ts";
import { sampledDivergence } from "./sampled-divergence.ts";
import { sapo } from "./sapo.ts";
import { scopeA } from "./scope-a.ts";
import { sdpo } from "./sdpo.ts";
import { shapedRatio } from "./shaped-ratio.ts";
import { teacherDivergence } from "./teacher-divergence.ts";
import { value } from "./value.ts";

/** Every option that changes the arithmetic, on both sides. */
const CASES: Readonly<Record<ObjectiveId, readonly ObjectiveCase[]>> = {
  "advantage-regression": [
    { name: "defaults", create: () => advantageRegression.create() },
    { name: "beta 1", create: () => advantageRegression.create({ beta: 1 }) },
  ],
  aopd: [
    { name: "defaults", create: () => aopd.create() },
    {
      name: "reverse with a tail",
      create: () => aopd.create({ direction: "reverse", rest: "tail", most: 0.3, weight: 2 }),
    },
  ],
  "candidate-divergence": [
    { name: "reverse", create: () => candidateDivergence.create() },
    { name: "forward", create: () => candidateDivergence.create({ direction: "forward" }) },
    { name: "between", create: () => candidateDivergence.create({ direction: "jsd", beta: 0.25 }) },
    { name: "cross-entropy", create: () => candidateDivergence.create({ direction: "cross-entropy" }) },
    ...(["forward", "reverse", "jsd"] as const).map((direction) => ({
      name: `${direction}, renormalised`,
      create: () => candidateDivergence.create({ direction, rest: "renormalise", temperature: 2, clamp: 3 }),
    })),
  ],
  cispo: [
    { name: "defaults", create: () => cispo.create() },
    { name: "open below", create: () => cispo.create({ clipLow: 1, clipHigh: 4 }) },
  ],
  "clip-cov": [
    { name: "defaults", create: () => clipCov.create() },
    {
      name: "half of them",
      create: () => clipCov.create({ share: 0.5, covarianceLow: -9, covarianceHigh: 9, clipLow: 0.9, clipHigh: 9 }),
    },
  ],
  clipped: [
    ...AGGREGATIONS.map((aggregation) => ({ name: aggregation, create: () => clipped.create({ aggregation }) })),
    { name: "clip-higher", create: () => clipped.create({ clipHigh: 0.28 }) },
    { name: "no dual clip", create: () => clipped.create({ dualClip: null }) },
    { name: "dual clip 1.1", create: () => clipped.create({ dualClip: 1.1 }) },
    { name: "token correction", create: () => clipped.create({ rolloutCorrection: { level: "token" } }) },
    { name: "row correction", create: () => clipped.create({ rolloutCorrection: { level: "sequence" } }) },
    { name: "bypass", create: () => clipped.create({ rolloutCorrection: { bypass: true } }) },
    {
      name: "rejection",
      create: () => clipped.create({ rolloutCorrection: { reject: { estimator: "k2", by: "token", above: 0.5 } } }),
    },
  ],
  "co-grpo": [
    { name: "defaults", create: () => coGrpo.create() },
    { name: "wide", create: () => coGrpo.create({ clipLow: 1, clipHigh: 9, scheduleTokens: 2, scheduleWeight: 0.5 }) },
  ],
  "cross-entropy": [
    { name: "tokens", create: () => crossEntropy.create() },
    { name: "rows", create: () => crossEntropy.create({ average: "rows" }) },
  ],
  ctpo: [
    { name: "defaults", create: () => ctpo.create() },
    { name: "open", create: () => ctpo.create({ clipLow: 9, clipHigh: 9, dualClip: null }) },
    { name: "mean, dual clip 3", create: () => ctpo.create({ prefix: "mean", clipHigh: 1, dualClip: 3 }) },
  ],
  dpo: [
    { name: "defaults", create: () => dpo.create() },
    { name: "trajectories", create: () => dpo.create({ level: "trajectory" }) },
    { name: "smoothed", create: () => dpo.create({ labelSmoothing: 0.1, beta: 1 }) },
    { name: "averaged", create: () => dpo.create({ average: true, beta: 1 }) },
  ],
  "entropy-bonus": [{ name: "defaults", create: () => entropyBonus.create() }],
  gmpo: [{ name: "defaults", create: () => gmpo.create() }],
  gspo: [
    { name: "defaults", create: () => gspo.create() },
    { name: "wide", create: () => gspo.create({ clipLow: 0.9, clipHigh: 5 }) },
  ],
  holderpo: [
    { name: "defaults", create: () => holderpo.create() },
    ...[2, 1, 0, -1, -2].map((exponent) => ({
      name: `exponent ${exponent}`,
      create: () => holderpo.create({ exponent, clipLow: 1, clipHigh: 9 }),
    })),
    { name: "tokens held", create: () => holderpo.create({ tokenClip: 0.5, clipLow: 1, clipHigh: 9 }) },
  ],
  kl: KL_ESTIMATORS.map((estimator) => ({ name: estimator, create: () => kl.create({ estimator }) })),
  "kl-cov": [
    { name: "defaults", create: () => klCov.create() },
    { name: "half of them", create: () => klCov.create({ share: 0.5, coefficient: 0.1 }) },
  ],
  "opid-auxiliary": [
    { name: "delta", create: () => opidAuxiliary.create() },
    { name: "importance", create: () => opidAuxiliary.create({ mode: "importance" }) },
    { name: "importance, clipped", create: () => opidAuxiliary.create({ mode: "importance", clip: 0.5 }) },
  ],
  otr: [
    { name: "drawn", create: () => otr.create() },
    {
      name: "expected",
      create: () => otr.create({ form: "expected", penalty: -1, aggregation: "seq-mean-token-mean" }),
    },
  ],
  "policy-gradient": [
    { name: "defaults", create: () => policyGradient.create() },
    { name: "ratio", create: () => policyGradient.create({ ratio: true }) },
    { name: "tau", create: () => policyGradient.create({ tau: 1 }) },
  ],
  "sampled-divergence": [
    { name: "defaults", create: () => sampledDivergence.create() },
    { name: "k2, clamped", create: () => sampledDivergence.create({ estimator: "k2", clamp: 0.5 }) },
  ],
  sapo: [{ name: "defaults", create: () => sapo.create() }],
  "scope-a": [
    { name: "defaults", create: () => scopeA.create() },
    { name: "forward", create: () => scopeA.create({ direction: "forward" }) },
  ],
  sdpo: (["sampled", "forward", "reverse", "jsd"] as const).map((form) => ({
    name: form,
    create: () => sdpo.create({ form, cap: 1.2 }),
  })),
  "shaped-ratio": [
    { name: "defaults", create: () => shapedRatio.create() },
    { name: "gamma 1", create: () => shapedRatio.create({ gamma: 1 }) },
  ],
  "teacher-divergence": [{ name: "defaults", create: () => teacherDivergence.create() }],
  value: [
    { name: "defaults", create: () => value.create() },
    { name: "unclipped", create: () => value.create({ clip: null, scale: 1 }) },
  ],
};

const ROUNDS = tries(3, 12);

describe.each(Object.keys(allObjectives) as ObjectiveId[])("%s", (id) => {
  objectiveContract(id, allObjectives[id], CASES[id], ROUNDS);
});

describe("combined", () => {
  const create = () =>
    combine([
      { objective: clipped.create(), weight: 1 },
      { objective: kl.create(), weight: 0.5 },
      { objective: entropyBonus.create(), weight: 0.1 },
      { objective: value.create(), weight: 0.5 },
    ]);
  objectiveLaws("combine", [{ name: "policy, divergence, entropy and value", create }], ROUNDS);
  test("there is a case for every objective", () => expect(Object.keys(CASES)).toEqual(Object.keys(allObjectives)));
});
