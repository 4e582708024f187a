/** What an evaluation takes, what it says and what it shows. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";
import { worldInputs } from "limbeck-worlds/world.inputs";
import type { PolicyComparison } from "limbeck-core/eval/compare";
import type { Profile } from "limbeck-core/eval/profile";
import type { Rescoring } from "limbeck-core/eval/rescore-trajectories";
import type { RubricReport } from "limbeck-core/eval/rubrics/apply-rubrics";
import { policyPart } from "limbeck-policy/policy/policy.part";
import type { FigurePlace } from "./given-parts.ts";
import { rewardPart, searchPart } from "limbeck-core/recipe/methods.part";
import { endFacts, newRunInput, seedInput } from "limbeck-store/store/run.inputs";
import { searchInputs } from "./search.inputs.ts";
import { speechInputs } from "./speech.inputs.ts";
import type { RunEnd } from "limbeck-store/store/with-run";

const DIFFERENCE = "the difference";

export const evalInputs = {
  ...worldInputs,
  policy: input.part(policyPart, "NAME|DIR", "A model folder or GGUF file, bundled, chat, or a scripted agent"),
  model: input.part(policyPart, "DIR", "The same, for a model folder or GGUF file"),
  against: input.part(policyPart, "NAME|DIR|RUN", "Another policy on the same tasks; a run with --run"),
  tasks: input.count("N", "How many tasks", { default: 50 }),
  samples: input.count("K", "Episodes of each task, for pass@k", { default: 1 }),
  seed: seedInput("evaluations"),
  budget: input.amounts(
    ["seconds"],
    "seconds=N",
    "Time it may take; tasks not reached in time are in no figure. Default: any",
  ),
  reference: input.text(
    "NAME",
    "Scripted agent whose steps are the measure. Default: the world's first; none for none",
  ),
  into: newRunInput,
  run: input.text("RUN", "Look at this stored run instead of playing"),
  phase: input.text("NAME", "Episodes of a training: before, validation, after, training, or all of them"),
  rubrics: input.flag("Checks of whole trajectories: loops, slips, needless steps, recovery"),
  reward: input.part(rewardPart, "NAME", "Score the run again with this reward"),
  rewardOptions: input.values("KEY=VALUE", "An option of the reward", { flag: "reward-set" }),
  rewards: input.path("FILE", "Rewards in the place of the world's own for what is played, as JSON or YAML"),
  keep: input.flag("With --reward: store the new scores beside the old ones"),
  search: input.part(searchPart, "METHOD", "Let --policy search before it acts; --against plays without"),
  ...searchInputs,
  ...speechInputs,
} as const;

export const evalEvents = {
  policy: {
    event: "for each side",
    side: "policy or against",
    name: "who acted",
    env: "the world",
    envOptions: "its options",
    split: "the split of the tasks",
    tasks: "number of tasks",
    episodes: "number of episodes",
    asked: "episodes that were asked for; more than episodes where the budget ended first",
    samples: "tries of the task that had the fewest",
    solved: "episodes that succeeded",
    failed: "episodes that were lost, which are part of no share",
    causes: "how many were lost, by the code of what failed",
    unjudged: "episodes without a word on success; those that were scored count as not solved",
    success:
      "mean over tasks of their share of solved tries, with low and high; mean null where fewer than half were seen",
    passAtK: "for each k the mean pass@k over tasks, with low and high",
    families: "the same by family of tasks",
    meanSteps: "steps of an episode",
    meanStepsSolved: "steps of a solved episode; null without any",
    invalid: "share of the actions that the world refused",
    efficiency:
      "stepsToReference, weightedSuccess, stepsPerSuccess, tokensPerSuccess, tokensPerEpisode, modelCallsPerEpisode, secondsPerEpisode; null where unknown",
  },
  comparison: {
    tasks: "tasks both tried",
    difference: DIFFERENCE,
    low: "its 95% interval",
    high: "its 95% interval",
    sign: "tasks better, worse and equal, and the exact p",
    separated: "whether the interval excludes 0",
    steps: "difference in steps over tasks both solved; null without any",
  },
  rubric: {
    event: "for each",
    side: "policy or against",
    difference: DIFFERENCE,
    rubric: "its name",
    good: "whether showing it is good",
    successes: "applicable, shown, share, low, high and extent among successes",
    failures: "the same among failures",
    prevalence: "ratio of the share among failures to that among successes, with low and high; null without either",
    successShown: "success of those that show it; null without any",
    successHidden: "success of those that do not; null without any",
    findings: "for each trajectory whether it is shown (null: not applicable) and the steps that show it",
  },
  rescored: {
    event: "for each trajectory",
    success: "true, false or null",
    id: "id of the trajectory",
    task: "id of its task",
    stored: "the reward it has",
    rescored: "the new score",
  },
  rescoring: {
    difference: DIFFERENCE,
    stored: "their mean with low and high",
    rescored: "their mean with low and high",
    reward: "the name of the new reward",
    unscored: "how many it could not score",
    changed: "how many have another score now",
    correlation: "rank correlation of old and new; null when either is constant",
    order: "ordered pairs of one group that are kept, tied or reversed",
    storedTells: "chance that a success scores above a failure under the stored reward",
    rescoredTells: "the same under the new reward",
    metrics: "what the reward counted",
    kept: "whether the new scores were stored",
  },
  end: { run: "the run that holds the episodes", ...endFacts },
} as const;

export type EvalInput = Input<typeof evalInputs>;
export type EvalContext = Context<EventOf<typeof evalEvents>, EvalShows>;

export type Side = "policy" | "against";

export interface NamedProfile {
  readonly side: Side;
  readonly name: string;
  readonly profile: Profile;
  /** Episodes that were asked for. Default: those that there are. */
  readonly asked?: number;
}

export interface EvalShows {
  /** Before anything is played. */
  readonly place: (place: FigurePlace, tasks: number) => void;
  /** `reference` is the scripted agent whose steps are the measure. */
  readonly profiles: (profiles: readonly NamedProfile[], reference?: string) => void;
  readonly comparison: (comparison: PolicyComparison, left: string, right: string) => void;
  readonly rubrics: (name: string, reports: readonly RubricReport[]) => void;
  readonly rescoring: (rescoring: Rescoring, kept: boolean) => void;
  readonly end: (stored: number, end: RunEnd) => void;
}
