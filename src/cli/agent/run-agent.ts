/** `limbeck agent run`: a rollout in the world `agent`, from a command as a person types it. */
import { resolve } from "node:path";
import { unscored, type JsonObject, type Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { cleanLine, cleanLines } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { runRollout } from "../rollout/run-rollout.ts";
import { outcomeMark, outcomeWords } from "../show/words.ts";
import { typedCommand } from "../typed-command.ts";
import { agentWorldOptions, worldWords } from "./agent-options.ts";
import { agentPolicy } from "./agent-policy.ts";

/** A file of tasks has some hundreds; all are meant. */
const ALL = 1_000_000;

export async function runAgentCommand(invocation: Invocation): Promise<number> {
  const [, command, ...args] = invocation.positionals;
  if (command === undefined) {
    throw usageError('"limbeck agent run" needs the agent\'s command behind "--": limbeck agent run -- node agent.mjs');
  }
  const tasks = invocation.text("tasks");
  const goal = await givenGoal(invocation);
  if (tasks !== undefined && goal !== undefined)
    throw usageError("--goal is one task and --tasks FILE are many; give one.");
  const program = agentWorldOptions(invocation, command, args);
  const asked: JsonObject =
    tasks !== undefined
      ? { tasks: resolve(invocation.io.cwd, tasks) }
      : goal === undefined
        ? { goal: [command, ...args].join(" "), input: false }
        : { goal };
  const policy = agentPolicy(invocation);
  if (invocation.text("policy") === undefined && policy === "bundled") {
    invocation.note(
      "! The small bundled model answers, which knows neither your agent nor tools. --policy chat or --policy DIR names another.",
    );
  }
  const words: Readonly<Record<string, readonly string[]>> = {
    env: ["agent"],
    "env-set": worldWords({ ...program, ...asked }).filter((word) => word !== "--env-set"),
    policy: [policy],
    group: [invocation.text("group") ?? "1"],
    count: [invocation.text("count") ?? `${ALL}`],
    concurrency: [invocation.text("concurrency") ?? "1"],
    // A program that does things is not started again without a word.
    attempts: ["1"],
    ...(invocation.text("out") === undefined ? {} : { dir: [invocation.text("out") ?? ""] }),
  };
  const said: Invocation = {
    ...invocation,
    text: (name) => (Object.hasOwn(words, name) ? words[name]?.at(-1) : invocation.text(name)),
    texts: (name) => (Object.hasOwn(words, name) ? (words[name] ?? []) : invocation.texts(name)),
  };
  let last: Trajectory | undefined;
  return await runRollout(said, {
    onTrajectory: (trajectory) => {
      last = trajectory;
      return sayEpisode(invocation, trajectory);
    },
    onEnd: (run) => sayNext(invocation, { run, last, policy, program, tasks }),
  });
}

async function givenGoal(invocation: Invocation): Promise<string | undefined> {
  const goal = invocation.text("goal");
  if (goal !== "-") return goal;
  const text = (await invocation.io.readInput()).trim();
  if (text === "") throw usageError("--goal - reads the goal from standard input, which is empty.");
  return text;
}

/** Prints it for a person; the fields are what JSON says besides. */
function sayEpisode(invocation: Invocation, trajectory: Trajectory): object {
  const { task, success, ending, steps, streams, failure } = trajectory;
  const { by = null, exitCode = null, printed: said, why } = steps.at(-1)?.info ?? {};
  const printed = typeof said === "string" ? said : "";
  const tokens = streams.reduce((total, { mask }) => total + mask.reduce((count, on) => count + on, 0), 0);
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
}

function sayNext(invocation: Invocation, { run, last, policy, program, tasks }: Done): void {
  const { style } = invocation;
  const world = ["--env", "agent", ...worldWords({ ...program, tasks: tasks ?? "tasks.jsonl" })];
  const place = invocation.text("out");
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
