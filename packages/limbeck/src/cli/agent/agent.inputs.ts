/** What `limbeck agent run` takes and says: a rollout in other words. */
import { input } from "limbeck-base/base/input";
import type { EventOf, Input } from "limbeck-base/base/operation";
import { policyPart } from "limbeck-policy/policy/policy.part";
import { programInputs } from "limbeck-worlds/agent/program.inputs";
import { rewardInputs } from "../../run/reward.inputs.ts";
import { newRunInput, seedInput } from "limbeck-store/store/run.inputs";
import { speechInputs } from "../../run/speech.inputs.ts";
import type { Frame } from "../command-of.ts";
import { rolloutEvents } from "../../run/rollout.inputs.ts";

export const agentInputs = {
  command: input.texts("COMMAND", "The agent's own program", { at: "rest" }),
  goal: input.text("TEXT", "What it is to do; - reads it from standard input"),
  tasks: input.path("FILE", 'Once for each task: JSON lines with "goal", and id, split, answer or seed'),
  split: input.text("NAME", "Split of the tasks. Default: the first"),
  count: input.count("TASKS", "How many tasks. Default: all"),
  group: input.text("N", "Runs of each task", { default: "1" }),
  ...programInputs(),
  ...speechInputs,
  concurrency: input.count("N", "Runs at the same time", { default: 1 }),
  maxSteps: input.count("N", "Questions until it is cut off. Default: 30"),
  policy: input.part(
    policyPart,
    "NAME|DIR",
    "Who answers: a model folder, bundled, or chat. Default: chat where LIMBECK_CHAT_BASE_URL is set, else bundled",
  ),
  model: input.part(policyPart, "DIR", "The same, for a model folder or GGUF file"),
  ...rewardInputs,
  library: input.path("DIR", "Give the policy the skills in use that fit, and report to them"),
  seed: seedInput("runs"),
  run: newRunInput,
  out: input.path("DIR", "Folder of the new run. Default: in the store"),
} as const;

export const agentEvents = {
  ...rolloutEvents,
  trajectory: {
    ...rolloutEvents.trajectory,
    by: "what the outcome rests on: check, file, answer or exit code; null where there is none",
    exitCode: "exit code of the program; null where it did not end by itself",
    printed: "the last 2,000 characters that the program printed",
  },
} as const;

export type AgentInput = Input<typeof agentInputs>;
export type AgentFrame = Frame<EventOf<typeof agentEvents>>;
type Environment = AgentFrame["environment"];

/** The default model of an agent: the chat model of the environment, else the bundled one. */
export function agentPolicy({ policy, model }: Pick<AgentInput, "policy" | "model">, environment: Environment): string {
  return policy ?? model ?? ((environment["LIMBECK_CHAT_BASE_URL"] ?? "") === "" ? "bundled" : "chat");
}
