/** What a lift test of skills takes and says. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";
import { worldInputs } from "limbeck-worlds/world.inputs";
import { policyPart } from "limbeck-policy/policy/policy.part";
import { actInputs, endCounts, fileEvents, sharedInputs } from "limbeck-core/skill/skills.inputs";
import { programInputs } from "limbeck-worlds/agent/program.inputs";
import { speechInputs } from "./speech.inputs.ts";

export const liftInputs = {
  names: sharedInputs.names,
  library: actInputs.library,
  by: actInputs.by,
  yes: sharedInputs.yes,
  policy: input.part(
    policyPart,
    "NAME|DIR",
    "lift: a model folder, bundled, or chat (a bare chat model; your agent's model with --agent)",
  ),
  agent: input.text(
    "COMMAND",
    "lift: your own agent, run for each task of --dataset; {prompt} is the task and the skill",
  ),
  ...programInputs("lift --agent: "),
  folder: sharedInputs.folder,
  timeout: input.time("lift --agent: time of a run. Default: 10m; with --policy 60s until its next question"),
  ...worldInputs,
  dataset: input.path(
    "FILE",
    'lift: questions in place of a world, JSON lines with "prompt" and "answer" (which --agent does not need)',
  ),
  judge: input.flag("lift: the chat model says whether an answer of the dataset is right"),
  tasks: input.count("N", "lift: held-out tasks for each skill at most", { default: 240 }),
  looks: input.count("N", "lift: how often it is looked whether it can stop. Default: 5"),
  worthwhile: input.number("SHARE", "lift: a lift surely below this is none. Default: 0.05", { least: 0, most: 1 }),
  seed: input.count("N", "lift: which of the possible tests", { least: 0, default: 0 }),
  strict: input.flag("lift: a skill that could not be decided fails the gate too"),
  dryRun: sharedInputs.dryRun,
  ...speechInputs,
} as const;

const compared = {
  pairs: "tasks scored with and without",
  overBare: "value, low and high of the difference to nothing",
  overPlacebo: "the same to the placebo",
} as const;
const arms = {
  ...compared,
  unscored: "tasks that an arm could not score",
  success: "share solved with skill, bare and placebo",
  placeboOverBare: "what the placebo alone does",
} as const;
const verdict = "helps, harms, no-lift or cannot-tell";

export const liftEvents = {
  problem: fileEvents.problem,
  look: { name: "the skill", look: "which one", looks: "of how many", verdict, ...compared },
  lift: {
    name: "the skill",
    verdict,
    status: "what it is now",
    decision: "what was decided; null where nothing was",
    looks: "of how many",
    ...arms,
    promptTokens: "tokens of the skill's text",
    tokensPerPoint: "tokens for each point of success over the placebo; null without lift",
    saved: "tasks that were not needed",
  },
  together: { skills: "number of skills", tasks: "fresh tasks", split: "of which split", ...arms },
  end: {
    skills: endCounts.skills,
    unmeasured: "of lift: skills that no task fitted and could be scored",
    episodes: "episodes read, or played",
    gate: "of lift: passed or failed",
    durationMs: "time taken",
    agentMs: "of lift --agent: time of all runs",
    costUsd: "of lift --agent: what the runs said that they cost",
  },
} as const;
export type LiftInput = Input<typeof liftInputs>;
export type LiftContext = Context<EventOf<typeof liftEvents>>;
