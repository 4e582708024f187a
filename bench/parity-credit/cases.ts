/** What is compared: our method with these options beside that published function. `published.py` knows them by name. */

export interface ParityCase {
  readonly name: string;
  readonly method: string;
  readonly options: Readonly<Record<string, number | string | boolean | null>>;
  /**
   * Which of the batches: "masked" has holes in its masks, "whole" has none, "turns" has rewards at ends of turns,
   * "answers" has one step a trajectory and at least two trajectories a task.
   */
  readonly batches: "masked" | "whole" | "turns" | "answers";
  /** Repository and function. */
  readonly source: string;
}

const verl = (name: string): string => `OPID's verl, ${name}`;
const gigpo = (name: string): string => `OPID's gigpo, ${name}`;
const core = (name: string): string => `verl, ${name}`;

export const CASES: readonly ParityCase[] = [
  { name: "grpo", method: "grpo", options: {}, batches: "masked", source: verl("compute_grpo_outcome_advantage") },
  {
    name: "grpo-once",
    method: "grpo",
    options: { countTrajectoryOnce: true },
    batches: "masked",
    source: verl("compute_grpo_outcome_advantage"),
  },
  {
    name: "dr-grpo",
    method: "dr-grpo",
    options: {},
    batches: "masked",
    source: verl("compute_grpo_outcome_advantage"),
  },
  {
    name: "rloo",
    method: "rloo",
    options: { singleton: "raw" },
    batches: "masked",
    source: verl("compute_rloo_outcome_advantage"),
  },
  {
    name: "reinforce-plus-plus",
    method: "reinforce-plus-plus",
    options: { gamma: 0.9 },
    batches: "masked",
    source: verl("compute_reinforce_plus_plus_outcome_advantage"),
  },
  {
    name: "reinforce-plus-plus-baseline",
    method: "reinforce-plus-plus-baseline",
    options: {},
    batches: "masked",
    source: verl("compute_reinforce_plus_plus_baseline_outcome_advantage"),
  },
  { name: "remax", method: "remax", options: {}, batches: "masked", source: verl("compute_remax_outcome_advantage") },
  {
    name: "gae",
    method: "gae",
    options: { gamma: 0.99, lambda: 0.95 },
    batches: "whole",
    source: verl("compute_gae_advantage_return"),
  },
  {
    name: "bi-level-gae",
    method: "bi-level-gae",
    options: { gamma: 0.99, lambda: 0.95, gammaTurn: 0.9 },
    batches: "turns",
    source: "RAGEN, compute_bi_level_gae_advantage_return",
  },
  { name: "gpg", method: "gpg", options: {}, batches: "masked", source: core("compute_gpg_outcome_advantage") },
  { name: "opo", method: "opo", options: {}, batches: "masked", source: core("compute_opo_outcome_advantage") },
  ...[false, true].map((normByStd): ParityCase => ({
    name: `pass-at-k-${normByStd}`,
    method: "pass-at-k",
    options: { normByStd },
    batches: "answers",
    source: core("compute_grpo_passk_outcome_advantage"),
  })),
  ...[false, true].map((cutLongest): ParityCase => ({
    name: `optimal-token-baseline-${cutLongest}`,
    method: "optimal-token-baseline",
    options: { cutLongest },
    batches: "answers",
    source: core("compute_multi_turn_optimal_token_baseline_advantage"),
  })),
  {
    name: "flow-grpo",
    method: "flow-grpo",
    options: {},
    batches: "masked",
    source: core("compute_grpo_outcome_advantage over turn rows"),
  },
  ...(["mean_norm", "mean_std_norm"] as const).flatMap((mode): ParityCase[] => [
    {
      name: `gigpo-${mode}`,
      method: "gigpo",
      options: { mode },
      batches: "masked",
      source: gigpo("compute_gigpo_outcome_advantage"),
    },
    {
      name: `gigpo-similar-${mode}`,
      method: "gigpo",
      options: { mode, stateMatch: "similar" },
      batches: "masked",
      source: gigpo("compute_gigpo_outcome_advantage"),
    },
    {
      name: `hgpo-${mode}`,
      method: "hgpo",
      options: { mode },
      batches: "masked",
      source: "HGPO recipe, compute_hgpo_outcome_advantage",
    },
    {
      name: `hgpo-base-${mode}`,
      method: "hgpo",
      options: { mode, baseGroup: true },
      batches: "masked",
      source: "HGPO recipe, compute_hgpo_outcome_advantage",
    },
    {
      name: `opid-${mode}`,
      method: "opid",
      options: { mode },
      batches: "masked",
      source: gigpo("compute_opid_outcome_advantage"),
    },
    {
      name: `opid-additive-${mode}`,
      method: "opid",
      options: { mode, teacherMode: "additive", episodeWeight: 0.3, stepWeight: 0.7 },
      batches: "masked",
      source: gigpo("compute_opid_outcome_advantage"),
    },
    {
      name: `opid-all-${mode}`,
      method: "opid",
      options: { mode, normalize: true, clip: 1, episodeWeight: 0.3, stepWeight: 0.7, stepAdvantageWeight: 0.5 },
      batches: "masked",
      source: gigpo("compute_opid_outcome_advantage"),
    },
  ]),
];
