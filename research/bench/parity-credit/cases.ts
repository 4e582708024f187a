/** Which of our credit methods, with which options, is compared with which published function. */

export interface ParityCase {
  readonly name: string;
  readonly method: string;
  readonly options: Readonly<Record<string, number | string | boolean | null>>;
  /**
   * Which of the batches: "masked" has holes in its masks, "whole" has none, "turns" has rewards at ends of turns,
   * "answers" has one step a trajectory and at least two trajectories a task, "signals" has what providers measure,
   * "tree" has branches, "leaves" paths, "responses" single responses that branch inside.
   */
  readonly batches: BatchKind;
  /** The name of the checkout, as the README lists them. */
  readonly checkout: string;
  /** The published function. */
  readonly function: string;
  readonly remark?: string;
}

export const BATCH_KINDS = ["masked", "whole", "turns", "answers", "signals", "tree", "leaves", "responses"] as const;
export type BatchKind = (typeof BATCH_KINDS)[number];

type Options = ParityCase["options"];

/** A case whose name is the checkout's, the method's and the options'. */
function compare(
  checkout: string,
  method: string,
  options: Options,
  batches: BatchKind,
  name: string,
  remark?: string,
): ParityCase {
  const text = Object.values(options).join("-");
  const base = { name: `${checkout}-${method}-${text}-${batches}`, method, options, batches, checkout, function: name };
  return remark === undefined ? base : { ...base, remark };
}

const STEP_RETURNS = "its step returns are 32-bit";
const OUTCOME: readonly ParityCase[] = [
  compare("opid", "grpo", {}, "masked", "compute_grpo_outcome_advantage"),
  compare("opid", "grpo", { countTrajectoryOnce: true }, "masked", "compute_grpo_outcome_advantage"),
  compare("verl", "grpo", {}, "answers", "compute_grpo_vectorized_outcome_advantage", "deviations by sums of squares"),
  compare("opid", "dr-grpo", {}, "masked", "compute_grpo_outcome_advantage"),
  compare("opid", "rloo", { singleton: "raw" }, "masked", "compute_rloo_outcome_advantage"),
  compare("verl", "rloo", { singleton: "zero" }, "masked", "compute_rloo_vectorized_outcome_advantage"),
  compare("opid", "reinforce-plus-plus", { gamma: 0.9 }, "masked", "compute_reinforce_plus_plus_outcome_advantage"),
  compare("verl", "reinforce-plus-plus", { gamma: 0.9 }, "masked", "compute_reinforce_plus_plus_outcome_advantage"),
  compare(
    "opid",
    "reinforce-plus-plus-baseline",
    {},
    "masked",
    "compute_reinforce_plus_plus_baseline_outcome_advantage",
  ),
  compare("opid", "remax", {}, "masked", "compute_remax_outcome_advantage"),
  compare("opid", "gae", { gamma: 0.99, lambda: 0.95 }, "whole", "compute_gae_advantage_return"),
  compare("verl", "gae", { gamma: 0.99, lambda: 0.95 }, "masked", "compute_gae_advantage_return"),
  compare(
    "ragen",
    "bi-level-gae",
    { gamma: 0.99, lambda: 0.95, gammaTurn: 0.9 },
    "turns",
    "compute_bi_level_gae_advantage_return",
    "its rewards are 32-bit",
  ),
  compare("verl", "gpg", {}, "masked", "compute_gpg_outcome_advantage"),
  compare("verl", "opo", {}, "masked", "compute_opo_outcome_advantage"),
  ...[false, true].map((normByStd) =>
    compare("verl", "pass-at-k", { normByStd }, "answers", "compute_grpo_passk_outcome_advantage"),
  ),
  ...[false, true].map((cutLongest) =>
    compare(
      "verl",
      "optimal-token-baseline",
      { cutLongest },
      "answers",
      "compute_multi_turn_optimal_token_baseline_advantage",
    ),
  ),
  compare("verl", "flow-grpo", {}, "masked", "compute_grpo_outcome_advantage", "over turn rows, as AgentFlow calls it"),
  ...["pow", "max_min", "max_random"].map((scheme) =>
    compare(
      "verl",
      "pf-ppo",
      { scheme },
      "masked",
      "compute_pf_ppo_reweight_data",
      "its weights, times the centred score; its draw is left out",
    ),
  ),
  ...["mean", "soft"].map((baseline) =>
    compare("trinity", "opmd", { baseline, tau: 0.7 }, "answers", "OPMDGroupAdvantage", "32-bit"),
  ),
  ...["mean", "soft", "z"].map((baseline) =>
    compare(
      "r3l",
      "r3l",
      { baseline, tau: 0.7 },
      "masked",
      baseline === "z" ? "GRPOReweightAdvGroupAdvantage" : "OPMDReweightAdvGroupAdvantage",
      "32-bit; its pivot is a mask of its workflow",
    ),
  ),
  ...[{ baseline: 0.45 }, { baseline: 0.45, spread: 0.3 }].map((options) =>
    compare(
      "spear",
      "spear",
      options,
      "masked",
      "compute_grpo_outcome_advantage with custom_reward_mean_std",
      "rows below 0 left out, as its trainer does",
    ),
  ),
  ...[false, true].map((normByStd) =>
    compare(
      "dars",
      "dars",
      { normByStd },
      "answers",
      "compute_grpo_outcome_advantage",
      "tasks all right or all wrong left out, as its trainer does",
    ),
  ),
];

const STEPS: readonly ParityCase[] = ["mean_norm", "mean_std_norm"].flatMap((mode) => [
  compare("opid", "gigpo", { mode }, "masked", "compute_gigpo_outcome_advantage", STEP_RETURNS),
  compare("opid", "gigpo", { mode, stateMatch: "similar" }, "masked", "compute_gigpo_outcome_advantage", STEP_RETURNS),
  compare("hgpo", "hgpo", { mode }, "masked", "compute_hgpo_outcome_advantage", STEP_RETURNS),
  compare("hgpo", "hgpo", { mode, baseGroup: true }, "masked", "compute_hgpo_outcome_advantage", STEP_RETURNS),
  compare("opid", "opid", { mode }, "masked", "compute_opid_outcome_advantage"),
  compare(
    "opid",
    "opid",
    { mode, teacherMode: "additive", episodeWeight: 0.3, stepWeight: 0.7 },
    "masked",
    "compute_opid_outcome_advantage",
  ),
  compare(
    "opid",
    "opid",
    { mode, normalize: true, clip: 1, episodeWeight: 0.3, stepWeight: 0.7, stepAdvantageWeight: 0.5 },
    "masked",
    "compute_opid_outcome_advantage",
    STEP_RETURNS,
  ),
]);

const TURNS: readonly ParityCase[] = [
  ...[{}, { unmatched: -0.5 }, { matching: "transport" }].map((options) =>
    compare(
      "matchtir",
      "matchtir",
      options,
      "signals",
      options.matching === undefined
        ? "assign_rewards_hungarian, compute_grpo_outcome_advantage"
        : "assign_rewards_ot, compute_grpo_outcome_advantage",
    ),
  ),
  compare(
    "infopo",
    "infopo",
    { beta: 2, equalTurns: false },
    "signals",
    "compute_info_grpo_advantage",
    "typed off its page; its scoring pass is left out",
  ),
  ...[0.5, 0.1].map((margin) =>
    compare("tablemind", "tablemind", { margin }, "answers", "compute_rank_grpo_advantage", "32-bit"),
  ),
  compare("memsearcher", "multi-context-grpo", {}, "masked", "compute_grpo_outcome_advantage", "one row a trajectory"),
  compare(
    "siop",
    "siop",
    {},
    "signals",
    "compute_siop_process_rewards, compute_siop_turn_level_advantage",
    "it adds 1e-6 to the deviation; all answered",
  ),
  compare(
    "siop",
    "igpo",
    { gamma: 0.9, deviation: "population", singleton: "zero" },
    "signals",
    "compute_igpo_turn_level_advantage",
    "as SIOP's authors have it, with the deviation over n",
  ),
  compare("spo", "spo-chain", {}, "signals", "MathEpisodeGeneratorWithMCAdvantages._compute_token_advantages"),
];

/** Each row of these trees is an edge, and the mask is not part of what is compared. */
const ROWS = { segment: "row", maskAbove: null } as const;

const TREES: readonly ParityCase[] = [
  ...["rloo", "grpo"].map((form) =>
    compare("spo", "spo-tree", { form, ...ROWS }, "tree", "TreeEpisodeUtils.compute_score, extract_edges_from_tree"),
  ),
  compare(
    "spo",
    "spo-tree",
    { form: "rloo", bestOfWeight: 5, ...ROWS },
    "tree",
    "TreeEpisodeUtils.compute_score, extract_edges_from_tree",
  ),
  ...["mean", "softmax"].map((fusion) =>
    compare(
      "branchgrpo",
      "branch-grpo",
      { fusion },
      "tree",
      "compute_node_rewards_from_leaves, compute_hierarchical_advantages_by_depth",
      fusion === "softmax" ? "32-bit" : undefined,
    ),
  ),
  compare(
    "marti",
    "mars2",
    { alpha: 0.3, mix: 0.4, inPlace: true },
    "tree",
    "tree_reward_shaping_unified",
    "then the group's z",
  ),
  ...["average", "size"].flatMap((weighting) =>
    [false, true].map((skipEqual) =>
      compare(
        "treepo",
        "treepo",
        { weighting, skipEqual },
        "leaves",
        "compute_tree_reinforce_plus_plus_baseline_outcome_advantage",
      ),
    ),
  ),
  ...[{}, { lengthPenalty: 0.7 }].map((options) =>
    compare(
      "rose",
      "rose",
      { key: "position", ...options },
      "responses",
      "compute_grpo_iterative_branching_outcome_advantage",
      "branches leave behind the beginning of their parent",
    ),
  ),
];

export const CASES: readonly ParityCase[] = [...OUTCOME, ...STEPS, ...TURNS, ...TREES];
