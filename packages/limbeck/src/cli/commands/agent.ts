/** `limbeck agent`: runs an agent's own program with a model of ours behind it. */
import { speechSections } from "../../run/speech.inputs.ts";
import { agentEvents, agentInputs, agentPolicy } from "../agent/agent.inputs.ts";
import { commandGroup, defineCommand } from "../command-of.ts";

const run = defineCommand({
  group: "learn",
  summary: "the command once, or once for each task",
  examples: [],
  input: agentInputs,
  events: agentEvents,
  natives: (given, parts, environment) => {
    const who = agentPolicy({ policy: given("policy"), model: given("model") }, environment);
    return who === "bundled" ? ["onnxruntime"] : parts;
  },
  run: async (input, frame) => await (await import("../agent/run-agent.ts")).runAgentCommand(input, frame),
});

export const agent = commandGroup(
  "agent",
  { run },
  {
    group: "learn",
    summary: "Run your own agent, unchanged, with a model that can be trained",
    usage: "run [--goal TEXT | --tasks FILE] [--policy NAME|DIR] [options] -- COMMAND…",
    description:
      "The command is run with OPENAI_BASE_URL and OPENAI_API_KEY set to an address of this machine, where the policy answers: chat completions and OpenAI's responses, whole and streamed, with tools and JSON answers. What it asked and what it was told is kept as a trajectory, with the policy's exact tokens where it shows any.\n" +
      "{goal}, {task} and {seed} in the command become those of the task; a goal that stands nowhere is given on standard input. Without --goal and --tasks the command is run once as it is.\n" +
      "It works in the current folder. The outcome is what --check says, the file named in LIMBECK_OUTCOME, the answer of the task compared with the last line that it prints, or its exit code. docs/learn/own-agent.md has the whole story; limbeck eval and limbeck train take the same agent with --env agent, as the last lines say.",
    sections: {
      "Usual options": ["goal", "tasks", "policy", "folder", "check"],
      "Which tasks": ["split", "count", "group", "seed"],
      "Its program": ["prepare", "timeout"],
      "What it is given and judged by": ["model", "library", "reward", "reward-set", "rewards"],
      "Where it goes": ["run", "out"],
      ...speechSections,
    },
    examples: [
      'limbeck agent run -- node agent.mjs "How many lamps are there?"',
      "limbeck agent run --tasks tasks.jsonl --policy chat -- node agent.mjs {goal}",
      'limbeck agent run --goal "Mend the test." --folder project --check "npm test" -- python agent.py',
    ],
  },
);
