/** The objectives by name, in two tiers. */
import { bothTiers } from "limbeck-base/base/registry";
import type { ObjectiveMethod } from "./objective.ts";
import { advantageRegression } from "./advantage-regression.ts";
import { aopd } from "./aopd.ts";
import { candidateDivergence } from "./candidate-divergence.ts";
import { cispo } from "./cispo.ts";
import { clipCov } from "./clip-cov.ts";
import { clipped } from "./clipped.ts";
import { coGrpo } from "./co-grpo.ts";
import { crossEntropy } from "./cross-entropy.ts";
import { ctpo } from "./ctpo.ts";
import { dpo } from "./dpo.ts";
import { entropyBonus } from "./entropy-bonus.ts";
import { gmpo } from "./gmpo.ts";
import { gspo } from "./gspo.ts";
import { holderpo } from "./holderpo.ts";
import { klCov } from "./kl-cov.ts";
import { kl } from "./kl.ts";
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

/** Those that follow code, a paper or common practice. A new one is a file, a test and a line here. */
export const objectives = {
  "advantage-regression": advantageRegression,
  "candidate-divergence": candidateDivergence,
  cispo,
  "clip-cov": clipCov,
  clipped,
  "cross-entropy": crossEntropy,
  ctpo,
  dpo,
  "entropy-bonus": entropyBonus,
  gmpo,
  gspo,
  holderpo,
  kl,
  "kl-cov": klCov,
  "opid-auxiliary": opidAuxiliary,
  "policy-gradient": policyGradient,
  "sampled-divergence": sampledDivergence,
  sapo,
  "scope-a": scopeA,
  sdpo,
  "shaped-ratio": shapedRatio,
  "teacher-divergence": teacherDivergence,
  value,
} as const satisfies Record<string, ObjectiveMethod>;

/** Those that follow an abstract or a third party's reading (`info.confidence`): `limbeck/experimental`. Names find them all the same. */
export const experimentalObjectives = {
  aopd,
  "co-grpo": coGrpo,
  otr,
} as const satisfies Record<string, ObjectiveMethod>;

export const allObjectives = bothTiers(objectives, experimentalObjectives);
export type ObjectiveId = keyof typeof allObjectives;
