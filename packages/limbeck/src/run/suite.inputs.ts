/** What a suite takes, what it says and what it shows. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";
import { policyPart } from "limbeck-policy/policy/policy.part";
import { allowInputs } from "limbeck-worlds/world.inputs";
import type { SuiteReport } from "limbeck-testing/suite/report";
import { speechInputs } from "./speech.inputs.ts";

// How long an episode may be is the suite's to say: it asks every policy the same.
const { maxSteps: _maxSteps, ...speech } = speechInputs;

export const suiteInputs = {
  suite: input.text("NAME|FILE", "A suite by name, or a file of one as YAML or JSON. Default: list those by name", {
    at: 0,
  }),
  policy: input.part(
    policyPart,
    "NAME|DIR",
    "A model folder or GGUF file, bundled, chat, a scripted agent of its worlds; perfect, empty and random are bounds",
  ),
  model: input.part(policyPart, "DIR", "The same, for a model folder or GGUF file"),
  data: input.path("DIR", "Folder of a public set, which is read where it lies; $data in a file"),
  tasks: input.count("N", "Only so many of its entries, spread over it. Default: all"),
  samples: input.count("K", "Episodes of each task", { default: 1 }),
  least: input.number("X", "Exit code 4 where accuracy is less", { least: 0, most: 1 }),
  out: input.path("FILE", "Also write the report: as JSON where the name ends so, else as Markdown"),
  judge: input.flag("Ask the chat model where the grader judge asks one"),
  runCode: input.flag("Run answers that are Python programs: with limits, but in no sandbox"),
  python: input.text("FILE", "The Python that runs them. Default: python3"),
  ...allowInputs("the suite"),
  ...speech,
} as const;

const CUTS = "for each the tasks and accuracy with low and high; null without enough scores";

export const suiteReportFacts = {
  suite: "its name",
  version: "its version",
  digest: "SHA-256 of the suite",
  frozen: "SHA-256 of its tasks as the worlds list them",
  policy: "who was asked",
  samples: "episodes of each task",
  tasks: "number of tasks",
  episodes: "number of episodes",
  unscored: "episodes without a score, which are in no figure",
  causes: "how many of these by cause",
  accuracy: "mean over tasks of their score, with low and high; null without enough scores",
  graders: `by grader of a chain, ${CUTS}`,
  buckets: `by bucket, ${CUTS}`,
  worlds: `by world, ${CUTS}`,
  templates: `by template, ${CUTS}`,
  unseen: `by what is new in them (world, template, instance, none), ${CUTS}`,
  variants: "groups of variants, and the share right in all and alike in all; null without any",
  values: "by value where between its poles (low is 0, high is 1) the answers lie",
  cost: "steps, modelCalls, sampledTokens, readTokens",
} as const;

export const suiteEvents = {
  graded: {
    event: "for each episode",
    id: "id of the task",
    score: "from 0 to 1; of a value where between its poles the answer lies; null without one",
    why: "by grader what was missing, and why there is no score",
  },
  listed: {
    event: "without a name, for each suite",
    id: "its name",
    meaning: "what it asks",
    from: "where a public set can be had",
  },
  end: { event: "behind the report", seconds: "how long it took", ok: "whether accuracy is at least --least" },
} as const;

export type SuiteInputs = Input<typeof suiteInputs>;
export type SuiteContext = Context<EventOf<typeof suiteEvents, typeof suiteReportFacts>, SuiteShows>;

export interface SuiteShows {
  readonly list: (suites: readonly { readonly id: string; readonly meaning: string; readonly from?: string }[]) => void;
  readonly report: (text: string, report: SuiteReport) => void;
  readonly end: (end: {
    readonly milliseconds: number;
    readonly out: string | undefined;
    readonly ok: boolean;
  }) => void;
}
