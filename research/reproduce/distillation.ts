/**
 * The family of distillation, imitation and preferences beside GRPO and OPID, on two worlds. One learning rate for all, the
 * one that was best for the baselines in the screening; everything else as shipped, nothing was tuned. Recipes whose update
 * is not a group of episodes get as many tasks as make it about as dear in environment steps as GRPO's.
 *
 * `fate` is not here: it learns from what was broken, and in neither world can anything be broken. What is nothing else than
 * GRPO where an episode is one answer is left out of countdown. `skill1` and `maestro` have studies of their own.
 */
import type { ArenaPlanInput } from "../../packages/training/src/arena/plan.ts";
import { bundledModel } from "limbeck/local";
import { bundledModels } from "../../packages/policy/src/policy/starts.ts";
import { firstShipped, type ArmInput } from "./arms.ts";

type World = "household" | "countdown";

/** What a recipe knows beyond outcomes; only arms that know the same compete in method alone. */
export type Knowledge = "outcomes" | "hindsight" | "expert";

interface Member {
  readonly knows: Knowledge;
  /** Who teaches, and what it is told. */
  readonly teacher: string;
  /** The one world in which it is more than GRPO. */
  readonly only?: World;
  /** Where the common setting does not fit. */
  readonly settings?: Readonly<Record<World, NonNullable<ArmInput["settings"]>>>;
}

const LEARNING_RATE = 1e-4;

const SKILL = "the frozen start, told a hindsight skill";
const SOLUTION = "the frozen start, told the demonstrator's solution";
const both = (settings: NonNullable<ArmInput["settings"]>): NonNullable<Member["settings"]> => ({
  household: settings,
  countdown: settings,
});

export const distillationFamily: Readonly<Record<string, Member>> = {
  grpo: { knows: "outcomes", teacher: "none" },
  opid: {
    knows: "hindsight",
    teacher: "the frozen start, told a hindsight skill, at critical steps a skill for the step",
    // As it was shipped when this arena was run; the rate is the common one.
    settings: both({ ...firstShipped.settings, learningRate: LEARNING_RATE }),
  },
  opd: { knows: "hindsight", teacher: SKILL },
  "iw-opd": { knows: "hindsight", teacher: SKILL },
  aopd: { knows: "hindsight", teacher: SKILL },
  "scope-a": { knows: "hindsight", teacher: `${SKILL}; failed episodes only` },
  sdpo: { knows: "hindsight", teacher: "the frozen start, told refusals, the verdict and a sibling's solution" },
  sdft: { knows: "expert", teacher: SOLUTION },
  "pw-opsd": { knows: "expert", teacher: SOLUTION },
  // A turn more with every update, so that the budget is enough to come to whole episodes.
  tcod: { knows: "expert", teacher: SOLUTION, settings: both({ period: 1 }) },
  kepo: { knows: "expert", teacher: `${SOLUTION}; successes only, and hints where all failed` },
  trd: { knows: "expert", teacher: `${SOLUTION}, who plays every episode over` },
  raft: { knows: "expert", teacher: "the frozen start, told the solution as it refined it" },
  // It shares the outcome among turns, and a puzzle has one turn.
  pbsd: { knows: "expert", teacher: "the policy itself, told the demonstrator's solution", only: "household" },
  // Its judge looks for steps that were refused or led back, and a wrong answer to a puzzle is neither.
  "scope-b": { knows: "expert", teacher: "the demonstrator corrects the first wrong step", only: "household" },
  // It learns from demonstrations; the one episode of a task is only watched.
  otr: {
    knows: "expert",
    teacher: "the demonstrator's own words",
    settings: { household: { tasks: 16, group: 1 }, countdown: { tasks: 24, group: 1 } },
  },
  // One way of the expert, and at each of its states three actions of the policy.
  "early-experience": {
    knows: "expert",
    teacher: "the demonstrator, at whose states the policy acts too",
    settings: { household: { tasks: 12, "strategy.count": 3 }, countdown: { tasks: 16, "strategy.count": 3 } },
  },
  "r3l-pairs": { knows: "expert", teacher: "the demonstrator's advice in retries" },
  "rejection-sampling": { knows: "outcomes", teacher: "none; its own successes" },
  spear: { knows: "outcomes", teacher: "none; its own better episodes, again" },
  // At every state two ways on are walked to the end.
  lookahead: {
    knows: "outcomes",
    teacher: "none; other ways on from its own states",
    settings: { household: { tasks: 2 }, countdown: { tasks: 21 } },
  },
  "step-dpo": { knows: "outcomes", teacher: "none; other answers at its least likely ones" },
  // A tree is as dear as a group of 8 episodes.
  "agent-q": {
    knows: "outcomes",
    teacher: "none; a search tree of each task",
    settings: { household: { searchSteps: 96 }, countdown: { searchSteps: 8 } },
  },
  cso: { knows: "outcomes", teacher: "none; other answers in failed episodes" },
};

/** Countdown's episodes are one reply long, so an update has twice as many tasks, and 20 updates are 1,280 steps. */
const TASKS: Readonly<Record<World, number>> = { household: 4, countdown: 8 };
const STEPS: Readonly<Record<World, number>> = { household: 4_000, countdown: 1_280 };
const RETENTION: Readonly<Record<World, number>> = { household: 16, countdown: 32 };

export function distillation(world: World, quick: boolean, seeds: readonly number[]): ArenaPlanInput {
  const { worldOptions, answerTokens } = { answerTokens: undefined, ...bundledModels[world] };
  const names = Object.entries(distillationFamily)
    .filter(([, { only = world }]) => only === world)
    .map(([name]) => name)
    .slice(0, quick ? 4 : undefined);
  return {
    version: 1,
    arms: names.map((recipe) => ({
      name: recipe,
      recipe,
      settings: {
        tasks: TASKS[world],
        learningRate: LEARNING_RATE,
        ...(answerTokens === undefined ? {} : { answerTokens }),
        ...distillationFamily[recipe]?.settings?.[world],
      },
    })),
    seeds: [...seeds],
    env: world,
    envOptions: structuredClone(worldOptions),
    model: bundledModel(world),
    budget: { account: "steps", amount: quick ? STEPS[world] / 4 : STEPS[world] },
    evaluation: {
      every: 4,
      tasks: quick ? 24 : 48,
      split: "test",
      finalTasks: quick ? 24 : 100,
      // Eight episodes of each go before it, which is dear where an episode is long.
      retentionTasks: quick ? 8 : RETENTION[world],
      // What advice is still worth to those that never had any is what the others are compared with.
      retentionArms: "all",
    },
    threads: 1,
    baseline: "grpo",
  };
}
