/** What a rollout takes and emits; `limbeck agent run` is one in other words. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";
import { worldInputs } from "limbeck-worlds/world.inputs";
import { policyPart } from "limbeck-policy/policy/policy.part";
import { strategyPart } from "limbeck-core/recipe/methods.part";
import { rewardInputs } from "./reward.inputs.ts";
import { endFacts, newRunInput, seedInput } from "limbeck-store/store/run.inputs";
import { SPENDING } from "./search.inputs.ts";
import { speechInputs } from "./speech.inputs.ts";
import { askInput } from "limbeck-core/skill/writer.inputs";
import type { EpisodeTally } from "limbeck-base/trajectory/tally";
import type { KeptEpisodes } from "limbeck-core/walk/line/strategy";
import type { RollOutProgress } from "limbeck-core/walk/line/roll-out";
import type { RunEnd } from "limbeck-store/store/with-run";

export const rolloutInputs = {
  ...worldInputs,
  ...speechInputs,
  policy: input.part(policyPart, "NAME|DIR", "A model folder or GGUF file, bundled, chat, or a scripted agent"),
  strategy: input.part(strategyPart, "NAME", "Which episodes are walked", { default: "group" }),
  strategyOptions: input.settings("An option of the strategy", { flag: "set" }),
  group: input.text("N", "Episodes per task: short for --set size=N, or what the strategy calls it"),
  tasks: input.count("TASKS", "How many tasks", { flag: "count", default: 8 }),
  seed: seedInput("rollouts"),
  episodeTokens: input.count("N", "Sampled tokens of an episode. Default: any"),
  episodeSeconds: input.number("S", "Time of an episode. Default: any", { least: 0 }),
  budget: input.amounts(SPENDING, "KIND=N", "A budget of the whole rollout"),
  limit: input.amounts(SPENDING, "KIND=N", "The same as --budget", { noun: "limit" }),
  ...rewardInputs,
  scorer: input.path(
    "NAME|DIR",
    "A trained scorer for strategies that want to know how likely an episode is to succeed: a bundled one by its world, or a folder of limbeck reward train",
  ),
  ask: askInput(
    "Let a model write what the method wants written: reflections, corrections. By itself or as chat, the chat model (LIMBECK_CHAT_…); policy, the model that plays; bundled, the writer of limbeck-writer-model; local:DIR, a model folder or GGUF file. Where it fails, templates write",
  ),
  attempts: input.count("N", "Attempts at a step of a failing world. Default: 3"),
  fleet: input.text("URL", "Let workers play: the Redis server of limbeck worker"),
  deliver: input.choice(
    "WAY",
    "With --fleet: store (workers write to this store) or caller (through Redis). Default: store",
    ["store", "caller"],
  ),
  queueLimit: input.count("N", "With --fleet: most jobs in the queue at once. Default: 10000"),
  library: input.path("DIR", "Give the policy the skills in use that fit, and report to them"),
  protocol: input.flag("With --library: also tell the branches of its protocol (skills extract --protocol)"),
  learn: input.flag(
    "With --library: demote skills by their uses after every episode, and keep what a single success shows as advice",
  ),
  run: newRunInput,
  dir: input.path("DIR", "Folder of the new run. Default: in the store"),
  resume: input.flag("Go on with the run of --run or --dir; start it where there is none"),
} as const;

export const rolloutEvents = {
  trajectory: {
    event: "for each one stored",
    id: "its id",
    task: "id of its task",
    group: "with whom it is compared",
    parent: "for a branch, the trajectory, step and token it left; null otherwise",
    ending: "terminated, truncated or failed",
    success: "true or false; null when nobody has said",
    reward: "the reward; null when unscored",
    steps: "its own steps",
    tokens: "its own sampled tokens",
    failure: "code of what failed; null otherwise",
  },
  notice: { event: "with --fleet", message: "what a person should know, such as that no worker is there" },
  end: {
    steps: "all steps stored",
    run: "id of the run; null when nothing was stored",
    trajectories: "trajectories stored",
    succeeded: "how many succeeded",
    failed: "how many were lost",
    causes: "how many were lost, by the code of what failed; empty with --fleet",
    spent: "envSteps, sampledTokens, reusedTokens, modelCalls and seconds",
    kept: "groups that go on in the next rollout of the run, and the tokens sampled for them",
    metrics: "what the strategy did, by metric, and draft/tokensPerCheck with --draft; empty with --fleet",
    complete: endFacts.complete,
    parked: "with --fleet: tasks that were given up, with attempts and error",
    durationMs: endFacts.durationMs,
  },
} as const;

export type RolloutInput = Input<typeof rolloutInputs>;
export interface RolloutOutcome {
  readonly progress: (Pick<RollOutProgress, "succeeded" | "failed"> & { readonly spent: object }) | undefined;
  readonly trajectories: number;
  /** Those of which success or failure is known. */
  readonly judged: number;
  readonly steps: number;
  /** Episodes that go on in the next rollout of the run. Default: none. */
  readonly kept?: KeptEpisodes;
  /** What the strategy did, by metric. Default: none. */
  readonly metrics?: Readonly<Record<string, number>>;
  /** Why episodes were lost, where it is known. */
  readonly losses?: Pick<EpisodeTally, "causes" | "first">;
}

export interface RolloutShows {
  readonly end: (outcome: RolloutOutcome, end: RunEnd) => void;
}
export type RolloutContext = Context<EventOf<typeof rolloutEvents>, RolloutShows>;
