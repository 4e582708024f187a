/** Which of our objectives, and which functions of numbers, are compared with which published ones. */
import type { ObjectiveId } from "../../../packages/core/src/objective/registry.ts";

export interface ObjectiveCase {
  readonly name: string;
  readonly objective: ObjectiveId;
  readonly options: Readonly<Record<string, unknown>>;
  readonly checkout: string;
  readonly function: string;
  readonly remark?: string;
}

function compare(
  checkout: string,
  objective: ObjectiveId,
  options: Readonly<Record<string, unknown>>,
  name: string,
  remark?: string,
): ObjectiveCase {
  const base = {
    name: `${checkout}-${objective}-${JSON.stringify(options)}`,
    objective,
    options,
    checkout,
    function: name,
  };
  return remark === undefined ? base : { ...base, remark };
}

const AGGREGATIONS = ["token-mean", "seq-mean-token-sum", "seq-mean-token-mean"] as const;

export const OBJECTIVE_CASES: readonly ObjectiveCase[] = [
  ...AGGREGATIONS.map((aggregation) =>
    compare(
      "verl",
      "clipped",
      { clipLow: 0.2, clipHigh: 0.28, dualClip: 1.5, aggregation },
      "compute_policy_loss_vanilla",
    ),
  ),
  compare(
    "verl",
    "clipped",
    { aggregation: "seq-mean-token-sum-norm", normaliser: 7 },
    "compute_policy_loss_vanilla, loss_scale_factor",
  ),
  ...["token", "sequence"].map((level) =>
    compare(
      "verl",
      "clipped",
      { rolloutCorrection: { level, truncate: 2 } },
      "compute_rollout_correction_weights, compute_policy_loss_vanilla",
    ),
  ),
  compare("verl", "gspo", { clipLow: 0.05, clipHigh: 0.1 }, "compute_policy_loss_gspo"),
  compare("verl", "sapo", { aggregation: "seq-mean-token-mean" }, "compute_policy_loss_sapo"),
  compare("verl", "policy-gradient", {}, "compute_policy_loss_gpg"),
  compare(
    "verl",
    "clip-cov",
    { share: 1, covarianceLow: 0.01, covarianceHigh: 0.5 },
    "compute_policy_loss_clip_cov",
    "share 1, so that its random draw takes all",
  ),
  compare("verl", "kl-cov", { share: 0.2, coefficient: 0.5 }, "compute_policy_loss_kl_cov"),
  compare("verl", "gmpo", { clipLow: 0.2, clipHigh: 0.3 }, "compute_policy_loss_geo_mean", "one advantage a row"),
  compare("verl", "cispo", { clipLow: 0.2, clipHigh: 0.25 }, "compute_policy_loss_cispo"),
  compare("verl", "value", { clip: 0.5 }, "compute_value_loss"),
  ...["k1", "abs", "k2", "k3"].map((estimator) => compare("verl", "kl", { estimator }, "kl_penalty")),
  compare("ctpo", "ctpo", {}, "compute_policy_loss_cum_token_cumprod_la"),
  compare("ctpo", "ctpo", { prefix: "mean", power: -0.5 }, "compute_policy_loss_cum_token_geomean_la"),
  compare("ctpo", "ctpo", { clipLow: 0.1, clipHigh: 0.2, power: 0.25 }, "compute_policy_loss_cum_token_cumprod_la"),
  ...[2, 0, -1.5].map((exponent) =>
    compare(
      "holderpo",
      "holderpo",
      { exponent, clipLow: 0.2, clipHigh: 0.2 },
      "compute_policy_loss_holder_seq",
      "typed off its page; 32-bit; one advantage a row",
    ),
  ),
  ...[null, 0.5].flatMap((clip) =>
    ["delta", "importance"].map((mode) => compare("opid", "opid-auxiliary", { mode, clip }, "compute_opd_loss")),
  ),
  ...[0, 0.1].map((labelSmoothing) =>
    compare("trinity", "dpo", { beta: 0.3, labelSmoothing }, "DPOLossFn", "asked one pair at a time"),
  ),
  compare("trinity", "cross-entropy", {}, "SFTLossFn"),
  compare("trinity", "policy-gradient", { tau: 1 }, "OPMDPolicyLossFn"),
  compare("apo", "advantage-regression", { beta: 0.3 }, "compute_policy_loss", "one advantage a row"),
];

/** A function of numbers: each input gives one number. */
export interface FunctionCase {
  readonly name: string;
  readonly method: string;
  readonly options: Readonly<Record<string, number | string>>;
  readonly inputs: readonly (readonly number[])[];
  readonly checkout: string;
  readonly function: string;
}

const COUNTS = [4, 8, 16];
const accuracies = COUNTS.flatMap((count) => Array.from({ length: count + 1 }, (_, right) => [right / count, count]));

export const FUNCTION_CASES: readonly FunctionCase[] = [
  ...(["equal", "hardness"] as const).flatMap((schedule) =>
    (["product", "root"] as const).map((form) => ({
      name: `extra-rollouts-${schedule}-${form}`,
      method: "extraRollouts (dars)",
      options: { schedule, form, most: 64 },
      inputs: accuracies,
      checkout: "dars",
      function: schedule === "equal" ? "schedule_ET" : "schedule_HW",
    })),
  ),
  ...(["linear", "cosine", "power"] as const).map((annealing) => ({
    name: `holder-exponent-${annealing}`,
    method: "holderExponent (holderpo)",
    options: { annealing },
    inputs: [[0], [100], [250], [499], [500], [800]],
    checkout: "holderpo",
    function: "resolve_holder_p",
  })),
  {
    name: "adaptive-kl",
    method: "adaptKl",
    options: { target: 0.1, horizon: 100 },
    inputs: [
      [0.05, 8],
      [0.101, 8],
      [0.09, 64],
      [0.9, 1],
    ],
    checkout: "verl",
    function: "AdaptiveKLController.update",
  },
  {
    name: "kl-reward",
    method: "klInReward",
    options: { beta: 0.05 },
    inputs: [
      [0, -1, -1.5],
      [1, -0.25, -0.125],
      [0.5, -2, -2],
    ],
    checkout: "verl",
    function: "compute_rewards",
  },
];
