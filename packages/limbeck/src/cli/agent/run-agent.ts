/** `limbeck agent run`: a rollout in the world `agent`, from a command as a person types it. */
import { resolve } from "node:path";
import { unscored } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Invocation } from "../command.ts";
import { cleanLine, cleanLines } from "limbeck-base/base/clean-text";
import { plural } from "limbeck-base/base/units";
import { resolveInput } from "limbeck-base/base/operation";
import { usageError } from "limbeck-base/base/errors";
import { rollIntoRun } from "../../run/roll-into-run.ts";
import { rolloutInputs, type RolloutInput } from "../../run/rollout.inputs.ts";
import { showRollout } from "../rollout/show-rollout.ts";
import { agentPolicy, type AgentFrame, type AgentInput } from "./agent.inputs.ts";
import { outcomeMark, outcomeWords } from "../show/words.ts";
import { typedCommand } from "../typed-command.ts";
import { agentWorldOptions } from "../../run/program.ts";

/** A file of tasks has some hundreds; all are meant. */
const ALL = 250_000;

export async function runAgentCommand(input: AgentInput, frame: AgentFrame): Promise<void> {
  const [command, ...args] = input.command;
  if (command === undefined) {
    throw usageError('"limbeck agent run" needs the agent\'s command behind "--": limbeck agent run -- node agent.mjs');
  }
  const { tasks } = input;
  const goal = await givenGoal(input.goal, frame);
  if (tasks !== undefined && goal !== undefined)
    throw usageError("--goal is one task and --tasks FILE are many; give one.");
  const program = agentWorldOptions(input, command, args, frame.cwd);
  const asked: JsonObject =
    tasks !== undefined
      ? { tasks: resolve(frame.cwd, tasks) }
      : goal === undefined
        ? { goal: [command, ...args].join(" "), input: false }
        : { goal };
  const policy = agentPolicy(input, frame.environment);
  if (input.policy === undefined && policy === "bundled") {
    frame.note(
      "! The small bundled model answers, which knows neither your agent nor tools. --policy chat or --policy DIR names another.",
    );
  }
  const { out, count = ALL } = input;
  const rollout: RolloutInput = {
    ...resolveInput(rolloutInputs, {}, "limbeck agent"),
    ...input,
    env: "agent",
    envOptions: { ...program, ...asked },
    policy,
    tasks: count,
    dir: out,
    // A program that does things is not started again without a word.
    attempts: 1,
  };
  let last: Trajectory | undefined;
  const show = frame.json ? { end: () => undefined } : showRollout(frame);
  await rollIntoRun(
    rollout,
    { ...frame, show },
    {
      onTrajectory: (trajectory, tokens) => {
        last = trajectory;
        return sayEpisode(frame, trajectory, tokens);
      },
      onEnd: (run) => sayNext(frame, { run, last, policy, program, tasks, out }),
    },
  );
}

async function givenGoal(goal: string | undefined, { io }: AgentFrame): Promise<string | undefined> {
  if (goal !== "-") return goal;
  const text = (await io.readInput()).trim();
  if (text === "") throw usageError("--goal - reads the goal from standard input, which is empty.");
  return text;
}

/** Prints it for a person; the fields are what JSON says besides. */
function sayEpisode(invocation: Invocation, trajectory: Trajectory, tokens: number): object {
  const { task, success, ending, steps, failure } = trajectory;
  const { by = null, exitCode = null, printed: said, why } = steps.at(-1)?.info ?? {};
  const printed = typeof said === "string" ? said : "";
  const { style } = invocation;
  const judged =
    success === null && typeof why === "string" ? `: ${why}` : ` by ${typeof by === "string" ? by : "nobody"}`;
  const outcome =
    failure !== undefined
      ? `lost: ${failure.message.replace(/\.$/, "")}`
      : ending === "truncated"
        ? "cut off"
        : `${outcomeWords({ success, reward: unscored("") })}${judged}`;
  invocation.print(
    `${outcomeMark(success, style)} ${cleanLine(task.goal).slice(0, 60)}: ${cleanLine(outcome)}, ${plural(steps.length, "step")}${tokens === 0 ? "" : `, ${plural(tokens, "token")}`}`,
  );
  const shown = cleanLines(printed.trimEnd()).slice(-5);
  if (printed !== "") for (const line of shown) invocation.print(style.dim(`    ${line}`));
  return { by, exitCode, printed };
}

interface Done {
  readonly run: string;
  readonly last: Trajectory | undefined;
  readonly policy: string;
  readonly program: JsonObject;
  readonly tasks: string | undefined;
  readonly out: string | undefined;
}

function sayNext(invocation: Invocation, { run, last, policy, program, tasks, out: place }: Done): void {
  const { style } = invocation;
  const world = ["--env", "agent", ...worldWords({ ...program, tasks: tasks ?? "tasks.jsonl" })];
  const kept = place === undefined ? [] : ["--store", resolve(invocation.io.cwd, place, "..")];
  const model = policy === "bundled" ? [] : ["--model", policy === "chat" ? "DIR" : policy];
  invocation.print();
  if (last !== undefined) invocation.print(`  look   ${typedCommand(["show", last.id, "--run", run, ...kept])}`);
  invocation.print(`  score  ${typedCommand(["eval", ...world, "--policy", policy])}`);
  invocation.print(`  train  ${typedCommand(["train", "--recipe", "grpo", ...world, ...model])}`);
  if (tasks !== undefined) return;
  invocation.print(
    style.dim(
      '  tasks.jsonl: one {"goal": "…", "split": "train"} a line, some with "split": "valid"; {goal} in the command takes it, or standard input.',
    ),
  );
}

/** The same as command-line words. */
export function worldWords(options: JsonObject): string[] {
  return Object.entries(options).flatMap(([name, value]) => [
    "--env-set",
    `${name}=${typeof value === "string" && name !== "goal" ? value : JSON.stringify(value)}`,
  ]);
}
