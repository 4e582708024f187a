/**
 * The axes of "Reinforcement Learning Foundations for Deep Research Systems: A Survey", and what stands for each here: a part
 * by its registered name, the words that make one update with it in the world `research`, what only that part prints, and the
 * same command without it.
 */
export interface Axis {
  readonly axis: string;
  readonly registry: "recipe" | "strategy" | "objective" | "credit" | "reward" | "rubric";
  /** Its name there; of several the one that the command runs stands first. */
  readonly ids: readonly [string, ...string[]];
  readonly command: string;
  readonly metric: string;
  readonly off: string;
  readonly fallen: number | "absent";
  /** Further words, to make it small. */
  readonly small: string;
}

const SMALL = "--set tasks=2 --set answerTokens=24";

const TRAIN = "limbeck train --env research --recipe";

export const axes: readonly Axis[] = [
  {
    axis: "data: synthesis",
    registry: "recipe",
    ids: ["rejection-sampling", "raft", "early-experience"],
    command: `${TRAIN} rejection-sampling`,
    metric: "loss/policy/perplexity > 1",
    off: "--recipe grpo",
    fallen: "absent",
    small: SMALL,
  },
  {
    axis: "data: curation",
    registry: "strategy",
    ids: ["curriculum", "replay"],
    command: `${TRAIN} grpo --strategy curriculum`,
    metric: "strategy/passedOver > 0",
    off: "--set strategy.share=1",
    fallen: 0,
    small: SMALL,
  },
  {
    axis: "methods: training regime and stability",
    registry: "objective",
    ids: ["gspo", "clipped", "cispo"],
    command: `${TRAIN} grpo --objective gspo`,
    metric: "clipFraction > 0",
    off: "--objective policy-gradient",
    fallen: "absent",
    small: SMALL,
  },
  {
    axis: "methods: sample efficiency and exploration",
    registry: "strategy",
    ids: ["tree", "treepo", "fr3e"],
    command: `${TRAIN} grpo --strategy tree`,
    metric: "strategy/branches > 0",
    off: "--strategy group",
    fallen: "absent",
    small: SMALL,
  },
  {
    axis: "methods: long context",
    registry: "credit",
    ids: ["sd-grpo", "multi-context-grpo"],
    command: `${TRAIN} grpo --credit sd-grpo --set segment-rewards.mark=search`,
    metric: "credit/decision.meanAbs > 0",
    off: "--set segment-rewards.mark=thought",
    fallen: 0,
    small: "--set tasks=6 --set group=6 --set answerTokens=40",
  },
  {
    axis: "methods: reward design",
    registry: "reward",
    ids: ["efficiency", "format", "majority"],
    command: `${TRAIN} grpo --reward efficiency`,
    metric: "reward/efficiency.cache > 0",
    off: "--reward outcome",
    fallen: "absent",
    small: SMALL,
  },
  {
    axis: "methods: credit assignment",
    registry: "credit",
    ids: ["siop", "treeps-rag", "gigpo"],
    command: `${TRAIN} grpo --credit siop`,
    metric: "credit/potential.meanAbs > 0",
    off: "--credit grpo",
    fallen: "absent",
    small: SMALL,
  },
  {
    axis: "methods: several objectives",
    registry: "reward",
    ids: ["efficiency", "outcome"],
    command: `${TRAIN} grpo --rewards research/deep-research/rewards.yaml`,
    metric: "reward/efficiency.overhead/unscored > 0",
    off: `${TRAIN} grpo`,
    fallen: "absent",
    small: SMALL,
  },
  {
    axis: "training systems",
    registry: "recipe",
    ids: ["grpo"],
    command: `${TRAIN} grpo --lag 1`,
    metric: "loss/policy/rolloutWeight > 0",
    off: "--lag 0",
    fallen: "absent",
    small: SMALL,
  },
  {
    // Of planner and executor the credit that goes between them; a loop of both is not here.
    axis: "architecture and coordination",
    registry: "credit",
    ids: ["hi-agent", "flow-grpo"],
    command: `${TRAIN} grpo --credit hi-agent`,
    metric: "credit/foresight.meanAbs > 0",
    off: "--credit grpo",
    fallen: "absent",
    small: SMALL,
  },
  {
    axis: "evaluation and benchmarks",
    registry: "rubric",
    ids: ["recovery", "loops", "needless-steps"],
    command: "limbeck eval --env research --policy bundled --tasks 4 --rubrics",
    metric: "failures.applicable > 0",
    off: "limbeck eval --env research --policy bundled --tasks 4",
    fallen: "absent",
    small: "",
  },
];

/** Of the survey's axes what has no part here. */
export const missing = ["methods: multimodal (no pictures, sound or video)"];
