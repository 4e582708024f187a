/** `limbeck agent`: runs an agent's own program with a model of ours behind it. */
import { agentPolicy } from "../agent/agent-policy.ts";
import { programOptions } from "../agent/agent-options.ts";
import type { Command } from "../command.ts";
import { rewardOptions } from "../methods/reward-options.ts";
import { modelNatives } from "../natives.ts";
import { shared, text } from "../options.ts";
import { speechOptions, speechSections } from "../rollout/agent-options.ts";
import { rollout } from "./rollout.ts";

export const agent: Command = {
  group: "learn",
  summary: "Run your own agent, unchanged, with a model that can be trained",
  usage: "run [--goal TEXT | --tasks FILE] [--policy NAME|DIR] [options] -- COMMAND…",
  description:
    "The command is run with OPENAI_BASE_URL and OPENAI_API_KEY set to an address of this machine, where the policy answers: chat completions and OpenAI's responses, whole and streamed, with tools and JSON answers. What it asked and what it was told is kept as a trajectory, with the policy's exact tokens where it shows any.\n" +
    "{goal}, {task} and {seed} in the command become those of the task; a goal that stands nowhere is given on standard input. Without --goal and --tasks the command is run once as it is.\n" +
    "It works in the current folder. The outcome is what --check says, the file named in LIMBECK_OUTCOME, the answer of the task compared with the last line that it prints, or its exit code. docs/own-agent.md has the whole story; limbeck eval and limbeck train take the same agent with --env agent, as the last lines say.",
  options: {
    goal: text("TEXT", "What it is to do; - reads it from standard input"),
    tasks: text("FILE", 'Once for each task: JSON lines with "goal", and id, split, answer or seed'),
    split: text("NAME", "Split of the tasks. Default: the first"),
    count: text("TASKS", "How many tasks. Default: all"),
    group: text("N", "Runs of each task. Default: 1"),
    ...programOptions(),
    ...speechOptions,
    concurrency: text("N", "Runs at the same time. Default: 1"),
    "max-steps": text("N", "Questions until it is cut off. Default: 30"),
    policy: text(
      "NAME|DIR",
      "Who answers: a model folder, bundled, or chat. Default: chat where LIMBECK_CHAT_BASE_URL is set, else bundled",
    ),
    model: shared.sameModel,
    ...rewardOptions,
    library: text("DIR", "Give the policy the skills in use that fit, and report to them"),
    seed: text("N", "Which of the possible runs. Default: 0"),
    run: shared.newRun,
    out: text("DIR", "Folder of the new run. Default: in the store"),
  },
  arity: [1, 1_000],
  subcommands: { run: "the command once, or once for each task" },
  sections: {
    "Usual options": ["goal", "tasks", "policy", "folder", "check"],
    "Which tasks": ["split", "count", "group", "seed"],
    "Its program": ["prepare", "timeout"],
    "What it is given and judged by": ["model", "library", ...Object.keys(rewardOptions)],
    "Where it goes": ["run", "out"],
    ...speechSections,
  },
  examples: [
    'limbeck agent run -- node agent.mjs "How many lamps are there?"',
    "limbeck agent run --tasks tasks.jsonl --policy chat -- node agent.mjs {goal}",
    'limbeck agent run --goal "Mend the test." --folder project --check "npm test" -- python agent.py',
  ],
  jsonFields: {
    ...rollout.jsonFields,
    by: "trajectory: what the outcome rests on: check, file, answer or exit code; null where there is none",
    exitCode: "trajectory: exit code of the program; null where it did not end by itself",
    printed: "trajectory: the last 2,000 characters that the program printed",
  },
  natives: (words) => modelNatives({ ...words, text: () => agentPolicy(words) }, ["policy"]),
  run: async (invocation) => (await import("../agent/run-agent.ts")).runAgentCommand(invocation),
};
