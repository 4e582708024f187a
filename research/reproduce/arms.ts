/** The arms of the study. Every method gets the same number of settings to choose from, baselines included. */
import type { ArenaPlanInput } from "../../packages/training/src/arena/plan.ts";

export type ArmInput = ArenaPlanInput["arms"][number];

/** A method and the settings tried for it; the best one on validation tasks goes on. */
export interface Tuned {
  readonly method: string;
  readonly arms: readonly ArmInput[];
}

/** The best arm of each method in a stage that chooses. */
export type Chosen = Readonly<Record<string, ArmInput>>;

const LEARNING_RATES = [1e-4, 3e-4, 1e-3] as const;
/** Three magnitudes; 0.001 is what the published scripts use. */
const SHIFT_WEIGHTS = [0.001, 0.03, 0.3] as const;
const DIVERGENCE_WEIGHTS = [0.01, 0.1, 1] as const;
const TEACHERS = ["self", "reference", "ema"] as const;

function byLearningRate(method: string, arm: Omit<ArmInput, "name">): Tuned {
  return {
    method,
    arms: LEARNING_RATES.map((learningRate) => ({
      ...arm,
      name: `${method}-lr${learningRate}`,
      settings: { ...arm.settings, learningRate },
    })),
  };
}

/** Of the sampled token, as an advantage. */
function byShiftWeight(teacher: string): Tuned {
  const method = `opid-${teacher}-shift`;
  return {
    method,
    arms: SHIFT_WEIGHTS.map((weight) => ({
      name: `${method}-w${weight}`,
      recipe: "opid",
      settings: {
        ...firstShipped.settings,
        teacher,
        "credit.episodeWeight": weight,
        "credit.stepWeight": weight,
      },
    })),
  };
}

/** Of whole distributions, as a loss. */
function byDivergenceWeight(teacher: string): Tuned {
  const method = `opid-${teacher}-forward`;
  return {
    method,
    arms: DIVERGENCE_WEIGHTS.map((divergenceWeight) => ({
      name: `${method}-w${divergenceWeight}`,
      recipe: "opid",
      settings: { ...firstShipped.settings, teacher, form: "forward", divergenceWeight },
    })),
  };
}

/** What was shipped when the first round was run. */
export const firstShipped = {
  name: "opid",
  recipe: "opid",
  settings: {
    teacher: "reference",
    form: "shift",
    "credit.mode": "mean_std_norm",
    "credit.stepAdvantageWeight": 0,
    "credit.episodeWeight": 0.3,
    "credit.stepWeight": 0.3,
    learningRate: 3e-4,
    fadeOver: null,
  },
} as const satisfies ArmInput;

export const tunedMethods: readonly Tuned[] = [
  byLearningRate("grpo", { recipe: "grpo" }),
  byLearningRate("gigpo", { recipe: "gigpo" }),
  byLearningRate("hgpo", { recipe: "hgpo" }),
  byLearningRate("rejection-sampling", { recipe: "rejection-sampling" }),
  byLearningRate("grpo-skill-in-prompt", { recipe: "grpo", settings: { skillInPrompt: true } }),
  ...TEACHERS.map(byShiftWeight),
  ...TEACHERS.map(byDivergenceWeight),
];

/** The shipped default, whatever it is. */
export const shipped: ArmInput = { name: "opid", recipe: "opid" };

/** OPID with one thing changed. */
export const ablations: readonly ArmInput[] = [
  { name: "episode-only", recipe: "opid", settings: { routing: "episode_only" } },
  { name: "step-only", recipe: "opid", settings: { routing: "step_only" } },
  { name: "both-at-once", recipe: "opid", settings: { routing: "both_at_once" } },
  { name: "failed-only", recipe: "opid", settings: { failedOnly: true } },
  { name: "success-only", recipe: "opid", settings: { successOnly: true } },
  { name: "no-teacher", recipe: "opid", settings: { stopAfter: 0 } },
];

/** The same method with other texts in the place of the skills. */
export const controls: readonly ArmInput[] = ["random", "other-task", "empty", "oracle"].map((skillControl) => ({
  name: `skills-${skillControl}`,
  recipe: "opid",
  settings: { skillControl },
}));

/** Credit methods that tell the steps of an episode apart, on a world that can supply what they need. */
const STEP_LEVEL = [
  "a2tgpo",
  "bi-level-gae",
  "branch-grpo",
  "gae",
  "gigpo",
  "hgpo",
  "hi-agent",
  "igpo",
  "infopo",
  "mapo",
  "mars2",
  "mc-critic",
  "pbsd",
  "portool",
  "pre-grpo",
  "r3l",
  "rose",
  "sd-grpo",
  "siop",
  "spo-chain",
  "spo-tree",
  "step-grpo",
  "treepo",
  "treeps-rag",
] as const;

/** Continuations cost environment steps; with their usual number one update would take the whole budget. */
const FEWER_CONTINUATIONS: Readonly<Record<string, ArmInput["settings"]>> = {
  "mc-critic": { "continuations.count": 1 },
  "spo-chain": { "cut-continuations.count": 1, "cut-continuations.most": 2 },
};

export const stepLevel: readonly ArmInput[] = [
  { name: "grpo", recipe: "grpo" },
  firstShipped,
  ...STEP_LEVEL.map((credit) => ({
    name: credit,
    recipe: "grpo",
    credit,
    ...(FEWER_CONTINUATIONS[credit] === undefined ? {} : { settings: FEWER_CONTINUATIONS[credit] }),
  })),
];
