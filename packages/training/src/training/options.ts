import type { OutcomeScorer } from "limbeck-core/walk/judge";
/** What a training can be asked for, and the plan in which everything is decided. */
import type { CreditMethod } from "limbeck-core/credit/credit";
import type { Env } from "limbeck-core/env/env";
import type { Collecting, Collector, CreditOf, GivenSettings } from "limbeck-core/recipe/settings";
import type { Draft } from "limbeck-policy/policy/local/draft/kinds";
import type { WeightKind } from "limbeck-policy/policy/local/quantised/kinds";
import type { Recipe } from "limbeck-core/recipe/recipe";
import type { RecipeId } from "limbeck-core/recipe/registry";
import type { Strategy } from "limbeck-core/walk/line/strategy";
import type { Writer, Analyst } from "limbeck-core/skill/skill";
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Correction } from "limbeck-core/update/correction";
import type { TimeBudget } from "limbeck-core/update/deadline";
import type { Settings } from "limbeck-core/update/settings";
import type { Away } from "./asynchronous.ts";
import type { Spent, TrainEvent } from "./events.ts";
import type { SharedWeights } from "./opened-model.ts";
import type { RewardPart, WorldPart } from "./parts.ts";
import type { TrainerPlan } from "./remote.ts";
import type { ReportPlan, Training, ValidationPlan } from "./training.ts";

/** A name that is not known when the program is compiled. */
type AnyName = string & { readonly [none in never]: never };

export interface TrainOptions<
  Name extends RecipeId = RecipeId,
  Method extends string = CreditOf<Name>,
> extends WorldPart {
  /** Default: "opid". */
  readonly recipe?: Name | Recipe | AnyName;
  /** Folder of the model to start from. Default: the bundled one of the world. */
  readonly model?: string;
  /** Updates. Default: 50. */
  readonly steps?: number;
  /** Default: 1. */
  readonly seed?: number;
  /** Default: the recipe's own. */
  readonly credit?: Method | CreditMethod | AnyName;
  /** Default: the one that the recipe and its credit method are made for. */
  readonly strategy?: string | Strategy;
  /**
   * A search by name, or a function that makes one for each tree, that collects the episodes of an update in the place of
   * the strategy; its settings are `collect: { n: 4, envSteps: 200 }`. Default: none.
   */
  readonly collect?: Collecting | undefined;
  /** A policy loss by name. Default: the recipe's own. */
  readonly objective?: string | undefined;
  /** A named set of settings, such as "paper". Default: none. */
  readonly preset?: string | undefined;
  /** Settings of recipe and methods: `{ group: 4, credit: { gamma: 0.9 } }`. */
  readonly settings?: GivenSettings<Name, Method>;
  /** The same as texts of a command line, `["credit.gamma", "0.9"]`; they win. */
  readonly texts?: readonly (readonly [string, string])[];
  /** What an episode is worth, in the place of the world's own reward: a function, a reward by name, or a plan. */
  readonly reward?: RewardPart;
  /** The same for all episodes of an update at once. */
  readonly rewardAll?: (episodes: readonly Trajectory[]) => Promise<readonly Trajectory[]>;
  /** The analyst that writes skills. Default: by the setting `analyst`, "model" with the chat model of the environment. */
  readonly analyst?: Analyst;
  /**
   * A text model that writes what methods want written: skills, reflections, reasons. true or "chat": the chat model of the
   * environment; "policy": the policy that is trained, as it is
   * then; "bundled": the writer of limbeck-writer-model; "local:DIR": a model folder or GGUF file. It may fail: then the templates write, and metrics count it. Default: templates.
   */
  readonly writer?: Writer | boolean | "chat" | "policy" | "bundled" | `local:${string}`;
  /**
   * Scores how likely unfinished episodes are to succeed, for strategies that need it: a folder of limbeck reward
   * train, the name of a bundled scorer, or one of your own. Default: the strategies' own rules.
   */
  readonly scorer?: string | OutcomeScorer;
  /** Default: every 10 updates, 128 tasks of "valid" or what comes nearest. */
  readonly validation?: Partial<ValidationPlan>;
  /** Looked at before the first and after the last update. Default: 256 tasks of "test" or what comes nearest. */
  readonly report?: Partial<ReportPlan>;
  /** Default: 0.4. */
  readonly evaluationTemperature?: number;
  /** Ends the training once validation reaches this success. Default: null, never. */
  readonly stopAt?: number | null;
  /** Ends the training after the update with which so much has been spent. Default: never. */
  readonly enough?: (spent: Spent) => boolean;
  /** What this call may take; it then ends as "budget", and `resume` goes on. Default: any time. */
  readonly budget?: TimeBudget;
  /** Updates between two checkpoints. Default: 5; where there is a budget also before every update that learns. */
  readonly checkpointEvery?: number;
  /** Folder of the run. Default: a new one in `runs`, named after the recipe and the time. */
  readonly dir?: string;
  /**
   * Where the episodes and figures are kept: a folder of runs, or an address like "s3://bucket/runs". Weights and checkpoints
   * stay in `dir`. Default: the folder that holds `dir`.
   */
  readonly store?: string | undefined;
  /** Continue the run in `dir`. Default: no. */
  readonly resume?: boolean;
  /** Whether the folder also becomes a run of the store. Default: yes. */
  readonly keep?: boolean;
  /** The trainer that holds the weights. Default: this process. */
  readonly trainer?: TrainerPlan | undefined;
  /** Rank of an adapter that learns in the place of the weights, in this process. Default: 0, the weights themselves. */
  readonly lora?: number | undefined;
  /**
   * How the matrices that do not learn are kept: "int8" and "int4" take a quarter and a sixth of the memory. Needs `lora`; what
   * is written is the adapter alone. Default: "float32".
   */
  readonly weights?: WeightKind | "auto" | undefined;
  /** Updates by which episodes may be played ahead of the learning: by a thread, or by a trainer that samples beside it. Default: none. */
  readonly lag?: number | undefined;
  /** What is done about tokens of earlier weights. Default: each is weighed, at most twice. */
  readonly correction?: Partial<Correction>;
  /** Remote players, such as a fleet. */
  readonly openAway?: NonNullable<AwayPlan["open"]>;
  /** Threads of the engine. Default: its own choice; half of the machine where another thread plays. */
  readonly threads?: number | undefined;
  /** Copies of the model that share playing and learning, each on a core of its own; see `LocalOptions`. Default: none. */
  readonly cores?: number | undefined;
  /** Speculative decoding while episodes are played: `off`, `ngram`, `auto`. Responses stay the same. Default: off. */
  readonly draft?: Draft | undefined;
  /** Where the keys of chat models and teachers are looked for. Default: the environment of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Called first, with the number of updates after which the training goes on. */
  readonly onBegin?: (from: number) => Promise<void>;
  readonly onEvent?: (event: TrainEvent) => void;
  readonly onProgress?: NonNullable<Training["onProgress"]>;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
}

export interface AwayPlan {
  /** Most updates between the weights that played a batch and those that learn from it; 0: strictly on-policy. */
  readonly lag: number;
  /** What is done about the age of tokens where there is a lag. */
  readonly correction: Correction;
  /** Missing: in this process, where a trainer has the weights. */
  readonly open?: (share: SharedWeights, place: AwayPlace) => Promise<Away>;
}

/** What remote players need of the training. */
export interface AwayPlace {
  readonly run: string;
  readonly model: string;
  readonly strategy: string;
  readonly settings: Settings;
  /** The rewards as the run keeps them, where there are some; "own": functions. */
  readonly rewards: JsonObject | string | undefined;
  readonly seed: number;
  /** Something a person should know. */
  readonly onNotice: (message: string) => void;
}

/** A training in which everything is decided. */
export interface TrainingPlan
  extends
    Pick<
      Training,
      "validation" | "report" | "evaluationTemperature" | "stopAt" | "checkpointEvery" | "updates" | "seed" | "settings"
    >,
    Partial<Pick<Training, "demonstrator" | "rewards" | "enough" | "onProgress" | "policyLoss">> {
  /** As they are stored and compared when a run is resumed. */
  readonly names: {
    readonly recipe: string;
    readonly credit: string;
    readonly strategy: string;
    readonly env: string;
    readonly collect?: string;
    readonly scorer?: string;
  };
  readonly recipe: Recipe;
  readonly credit: CreditMethod;
  /** What the credit method kept of the task before, where there was one. */
  readonly carried?: JsonObject | null;
  /** One that was given; otherwise made by its name. */
  readonly strategy?: Strategy;
  /** A search in its place. */
  readonly collector?: Collector;
  readonly env: Env;
  readonly model: string;
  readonly analyst: Analyst;
  readonly textWriter?: Writer;
  /** Whether the policy that is trained writes. */
  readonly writesItself?: boolean;
  readonly outcomeScorer?: OutcomeScorer & { close?(): Promise<void> };
  readonly trainer?: TrainerPlan;
  /** Rank of an adapter of a model in this process; missing: the weights themselves learn. */
  readonly lora?: number;
  readonly away?: AwayPlan;
  readonly budget: TimeBudget;
  readonly dir: string;
  readonly store?: string;
  readonly resume: boolean;
  readonly keep: boolean;
  readonly threads?: number;
  readonly cores?: number;
  readonly draft?: Draft;
  /** How a base model that does not learn is kept; missing: float32. */
  readonly weights?: Exclude<WeightKind, "float32">;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onBegin?: (from: number) => Promise<void>;
  readonly onEvent: (event: TrainEvent) => void;
  readonly now: () => number;
  readonly signal: AbortSignal;
}
