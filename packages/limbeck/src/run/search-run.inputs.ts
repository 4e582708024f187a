/** What `limbeck search` takes, what it says and what it shows. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";
import { worldInputs } from "limbeck-worlds/world.inputs";
import { policyPart } from "limbeck-policy/policy/policy.part";
import type { Spending } from "limbeck-core/walk/purse";
import type { FigurePlace } from "./given-parts.ts";
import { searchPart, strategyPart } from "limbeck-core/recipe/methods.part";
import { endFacts, newRunInput, seedInput } from "limbeck-store/store/run.inputs";
import { searchInputs } from "./search.inputs.ts";
import { speechInputs } from "./speech.inputs.ts";
import type { RunEnd } from "limbeck-store/store/with-run";

const { searchOptions, searchBudget, ...others } = searchInputs;

export const searchRunInputs = {
  ...worldInputs,
  policy: input.part(policyPart, "NAME|DIR", "A model folder or GGUF file, bundled, chat, or a scripted agent"),
  model: input.part(policyPart, "DIR", "The same, for a model folder or GGUF file"),
  search: input.part(searchPart, "NAME", "The search. Default: best-of-n", { flag: "method" }),
  strategy: input.part(strategyPart, "NAME", "A rollout strategy in its place: the best line it walks counts"),
  searchOptions: { ...searchOptions, flag: "set" },
  searchBudget: { ...searchBudget, flag: "budget" },
  ...others,
  tasks: input.count("N", "How many tasks", { default: 8 }),
  together: input.count("N", "Tasks searched at the same time. Default: 8"),
  seed: seedInput("searches"),
  run: newRunInput,
  ...speechInputs,
} as const;

const [IRREVERSIBLE, HARM] = ["actions carried out that cannot be taken back", "those of them beside the chosen line"];
const SPENT = "modelCalls, tokens, sampledTokens, envSteps, usd and seconds";

export const searchRunEvents = {
  search: {
    event: "for each task",
    task: "id of the task",
    success: "whether the chosen line succeeded; null when nobody has said",
    reward: "the reward of the chosen line; null when unscored",
    actions: "the actions of the chosen line",
    nodes: "nodes of the tree",
    irreversible: IRREVERSIBLE,
    harm: HARM,
    spent: SPENT,
    failures: "the first failures of calls: code and message",
  },
  end: {
    success: "share, with low and high",
    nodes: "all of them",
    irreversible: IRREVERSIBLE,
    harm: HARM,
    spent: SPENT,
    written:
      "with --ask: how often the model wrote (model), a template in its place (template), or nobody (nobody): the search's own rule",
    run: "id of the new run; null when nothing was stored",
    env: "the world",
    envOptions: "its options",
    split: "the split of the tasks",
    tasks: "tasks searched",
    solved: "tasks whose chosen line succeeded",
    failed: "tasks whose search was lost, which are part of no share",
    causes: "how many were lost, by the code of what failed",
    trajectories: "branches stored",
    ...endFacts,
  },
} as const;

/** What all searches together came to. */
export interface SearchTotals {
  readonly tasks: number;
  readonly solved: number;
  readonly failed: number;
  readonly causes: Readonly<Record<string, number>>;
  /** Null where too few were seen. */
  readonly success: { readonly mean: number; readonly low: number; readonly high: number } | null;
  readonly nodes: number;
  readonly trajectories: number;
  readonly irreversible: number;
  readonly harm: number;
  readonly spent: Spending;
  /** Counts of texts by a model, by a template, or by none; only with a writer. */
  readonly written?: { readonly model: number; readonly template: number; readonly nobody: number };
}

export interface SearchShows {
  /** Before anything is searched. */
  readonly place: (place: FigurePlace, tasks: number) => void;
  readonly end: (totals: SearchTotals, end: RunEnd) => void;
}

export type SearchRunInput = Input<typeof searchRunInputs>;
export type SearchContext = Context<EventOf<typeof searchRunEvents>, SearchShows>;
