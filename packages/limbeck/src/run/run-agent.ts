/** An agent's own program, run with a policy as its model: `limbeck agent run` in code. */
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { startRunning, type Running } from "limbeck-base/base/running";
import { createAgentWorld } from "limbeck-worlds/agent/agent-world";
import type { AgentWorldOptions } from "limbeck-worlds/agent/program";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { RolledOut, RolloutEvent, RolloutOptions } from "./rollout.ts";

/** A task of an agent. */
export interface AgentTask {
  readonly goal: string;
  /** Default: "agent/1" and so on. */
  readonly id?: string;
  /** The last line that the program prints; capitals, spaces and a full stop make no difference. */
  readonly answer?: string;
  /** Default: its place in the list. */
  readonly seed?: number;
}

export interface RunAgentOptions
  extends Omit<AgentWorldOptions, "tasks" | "args" | "maxSteps">, Omit<RolloutOptions, "env" | "envOptions" | "tasks"> {
  /** {goal}, {task} and {seed} become those of the task. Default: none. */
  readonly args?: readonly string[];
  /** What it is to do, or several such tasks. Given on standard input where no argument holds it. */
  readonly tasks: string | readonly AgentTask[];
}

/**
 * Runs an agent's program once for each task, with OPENAI_BASE_URL and OPENAI_API_KEY set to an address where the policy answers, and
 * gives the trajectories. Runs follow each other (`concurrency`), each task once (`group`), none a second time (`attempts`).
 *
 * @example
 * import { createScriptedPolicy } from "limbeck/policy";
 *
 * const program = `const asked = await fetch(process.env.OPENAI_BASE_URL + "/responses", { method: "POST", body: JSON.stringify({ input: process.argv[1] }) });
 *   process.stdout.write((await asked.json()).output[0].content[0].text);`;
 * const { trajectories, success } = await runAgent({
 *   command: process.execPath,
 *   args: ["--input-type=module", "-e", program, "{goal}"],
 *   tasks: [{ goal: "What are 2 and 2?", answer: "4" }],
 *   policy: createScriptedPolicy({ script: () => "4" }),
 * });
 * console.log(success, trajectories[0]?.steps.map(({ action }) => action)); // 1 [ "4" ]
 */
export function runAgent(options: RunAgentOptions): Running<RolledOut, RolloutEvent> {
  const { args = [], tasks: given, maxSteps, ...rest } = options;
  const listed = typeof given === "string" ? [{ goal: given }] : given;
  if (listed.length === 0) throw new EngineError("bad-options", "runAgent needs at least one task: tasks: [{ goal }].");
  const tasks = listed.map(taskOf);
  const env = createAgentWorld({ ...rest, args, tasks: { train: tasks }, ...withoutUndefined({ maxSteps }) });
  const request = { group: 1, concurrency: 1, attempts: 1, ...options, env, tasks };
  return startRunning(async (onEvent) => {
    return await (await import("./rollout.ts")).rollout({ ...request, onEvent });
  }, options.onEvent);
}

function taskOf({ goal, answer, id, seed }: AgentTask, at: number): Task {
  const data = answer === undefined ? {} : { data: { answer } };
  return { id: id ?? `agent/${at + 1}`, env: "agent", seed: seed ?? at + 1, goal, split: "train", ...data };
}
