/** What a lift test of skills takes and says. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";
import { worldInputs } from "limbeck-worlds/world.inputs";
import { policyPart } from "limbeck-policy/policy/policy.part";
import { actInputs, endCounts, fileEvents } from "limbeck-core/skill/skills.inputs";
import { programInputs } from "limbeck-worlds/agent/program.inputs";
import { searchInputs } from "./search.inputs.ts";
import { speechInputs } from "./speech.inputs.ts";

const LIFT_SPENDING = ["runs", "modelCalls", "tokens", "usd", "seconds"] as const;

export const liftInputs = {
  names: input.texts("NAME", "The skills. Default: all candidates and those in use", { at: "rest" }),
  library: actInputs.library,
  by: actInputs.by,
  yes: input.flag("Run what costs money, and the programs that tasks name, without asking"),
  policy: input.part(
    policyPart,
    "NAME|DIR",
    "A model folder, bundled, or chat (a bare chat model; your agent's model with --agent)",
  ),
  agent: input.text("COMMAND", "Your own agent, run for each task of --dataset; {prompt} is the task and the skill"),
  ...programInputs("--agent: "),
  timeout: input.time("--agent: time of a run. Default: 10m; with --policy 60s until its next question"),
  revision: input.text("TEXT", "Of what answers depend on and is not in these options: another one asks all anew"),
  ...worldInputs,
  dataset: input.path(
    "FILE",
    'Tasks in place of a world, JSON lines with "prompt" and what is right: "answer", "pattern", "schema" or, for --agent, "check"',
  ),
  run: input.text("ID", "Tasks made from the stored sessions of this run, as skills replay makes them"),
  decide: input.path(
    "FILE",
    "A module whose default export says whether an answer is right: (answer, task) => boolean",
  ),
  judge: input.flag("The chat model says whether an answer is right; needs --verdicts"),
  verdicts: input.path(
    "FILE",
    'Verdicts of a person on at least 30 answers, JSON lines with "prompt", "answer", "given" and "right": the judge\'s agreement',
  ),
  ownOutcome: input.flag("--agent: its exit code, or the file that LIMBECK_OUTCOME names, says whether it succeeded"),
  tasks: input.count("N", "Held-out tasks for each skill at most. Default: as many as are proposed for --worthwhile"),
  trials: input.count("K", "How often each task is tried in each arm", { default: 1 }),
  worthwhile: input.number(
    "SHARE",
    "The least lift worth its tokens: pairs are proposed to find it, and less is none",
    {
      least: 0,
      most: 1,
      default: 0.15,
    },
  ),
  budget: input.amounts(LIFT_SPENDING, "KIND=N", `What all of it may spend: ${LIFT_SPENDING.join(", ")}`),
  prices: searchInputs.prices,
  seed: input.count("N", "Which of the possible tests", { least: 0, default: 0 }),
  strict: input.flag("A skill that could not be decided fails the gate too"),
  dryRun: input.flag("Measure, and change no skill"),
  out: input.texts("FILE", "Also write the report, by its ending: .md, .html, .xml (JUnit) or .json"),
  ...speechInputs,
} as const;

const compared = {
  pairs: "trials scored with and without, in this run and in earlier ones",
  overBare: "value, low and high of the difference to nothing",
  overPlacebo: "the same to the placebo",
} as const;
const arms = {
  ...compared,
  unscored: "trials that an arm could not score",
  success: "share solved with skill, bare and placebo",
  placeboOverBare: "what the placebo alone does",
} as const;
const verdict = "helps, harms, no-lift or cannot-tell";

export const liftEvents = {
  problem: fileEvents.problem,
  agreement: {
    event: "with --judge",
    verdicts: "verdicts of the person that the judge gave one for too",
    unscored: "those that it could not give",
    share: "share on which both agree, with low and high",
    low: "lower end of its interval",
    high: "upper end of its interval",
    kappa: "Cohen's kappa",
  },
  plan: {
    event: "before anything is run",
    skills: "number of skills",
    tasks: "trials of all of them",
    trials: "of each task",
    proposed: "pairs that find a lift of --worthwhile in 9 of 10 cases",
    runs: "runs at most",
    known: "outcomes that are known from earlier runs and cost nothing",
    usd: "US dollars at most, where prices were given and every task is one answer; else null",
  },
  look: { name: "the skill", look: "which one", verdict, ...compared },
  lift: {
    name: "the skill",
    verdict,
    status: "what it is now",
    decision: "what was decided; null where nothing was",
    ...arms,
    passAll: "share of tasks of which all k trials succeed, by arm (pass^k)",
    evidence: "pairs by how they came out: better, worse and same",
    promptTokens: "tokens of the skill's text",
    tokensPerPoint: "tokens for each point of success over the placebo; null without lift",
    saved: "trials that were not needed",
  },
  together: { skills: "number of skills", tasks: "fresh tasks", split: "of which split", ...arms },
  end: {
    skills: endCounts.skills,
    unmeasured: "skills that no task fitted and could be scored",
    episodes: "episodes played",
    gate: "passed or failed",
    durationMs: "time taken",
    agentMs: "of --agent: time of all runs",
    costUsd: "of --agent: what the runs report that they cost; with --prices what the tokens cost",
  },
} as const;
export type LiftInput = Input<typeof liftInputs>;
export type LiftContext = Context<EventOf<typeof liftEvents>>;
