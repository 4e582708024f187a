/** `limbeck show`: one trajectory, readable in a terminal. */
import { input } from "limbeck-base/base/input";
import { readInputs } from "limbeck-store/store/read.inputs";
import { defineCommand } from "../command-of.ts";

export const show = defineCommand({
  group: "look",
  summary: "Read one trajectory: what it saw, did and was given for it",
  usage: "TRAJECTORY [--run ID] [--tokens] [--full]",
  description:
    "The beginning of an id is enough where only one trajectory has it. Long texts are clipped unless --full.\n" +
    "Marks: │ seen, ❯ done, ⚙ tool call, ★ reward, ⑂ branch, # tokens as id:log-probability.",
  input: {
    id: input.text("TRAJECTORY", "Which one", { at: 0, required: true }),
    ...readInputs,
    tokens: input.flag("Also the exact tokens of each response"),
    full: input.flag("Clip nothing"),
  },
  examples: ["limbeck show kitchen-3", "limbeck show kitchen-3 --tokens", "limbeck show kitchen-3 --full | less -R"],
  line: {
    run: "id of the run",
    id: "id of the trajectory",
    task: "id, env, seed, goal, split and data of the task",
    group: "group it is compared within",
    parent: "trajectory, step and token it branched from",
    steps: "the steps",
    streams: "exact tokens and their statistics",
    ending: "terminated, truncated or failed",
    reward: "kind scored with a value, or unscored with a reason",
    success: "true, false or null",
    rewards: "named rewards with their source",
    policy: "name, version and model",
    usage: "tokens and cost",
    timing: "start and durations",
    closing: "what came after the last action",
    tools: "tool definitions the agent was given",
    failure: "why it failed",
    info: "what else was recorded",
    branches: "branches that left it: id, step, token, steps, reward, success",
  },
  run: async (given, frame) => await (await import("../show/trajectory-lines.ts")).showTrajectory(given, frame),
});
