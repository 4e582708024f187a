/** `limbeck skills replay`: stored sessions as a file of tasks that can be tried again, for `lift --agent`. */
import { resolve } from "node:path";
import { EngineError, replaceFile } from "../../base/index.ts";
import { runOwnAgent } from "../../env/agent/agent-world.ts";
import { replaySet, type ReplayTask } from "../../record/replay/replay-set.ts";
import type { JsonObject } from "../../trajectory/index.ts";
import { commandWords } from "../agent/command-words.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { givenLibrary } from "./open-given.ts";
import { storedTrajectories } from "./stored-trajectories.ts";

export async function runReplay(invocation: Invocation): Promise<number> {
  const out = invocation.text("out");
  if (out === undefined || out === "") throw usageError('"limbeck skills replay" needs --out FILE.jsonl.');
  const library = givenLibrary(invocation);
  const { skills } = await library.list();
  const cited = await Promise.all(skills.map(async ({ name }) => (await library.read(name)).evidence));
  const learntFrom = new Set(cited.flat().map(({ trajectory }) => trajectory));
  const { trajectories } = await storedTrajectories(invocation);
  const { tasks, left } = await replaySet(trajectories, { learntFrom });
  const open = await stillOpen(invocation, tasks);
  const counts = {
    ...left,
    ...(tasks.length > open.length ? { "its tests pass before anything is done": tasks.length - open.length } : {}),
  };
  const path = resolve(invocation.io.cwd, out);
  if (open.length > 0) await replaceFile(path, open.map((task) => `${JSON.stringify(task)}\n`).join(""));
  if (invocation.json)
    invocation.printJson({ event: "end", tasks: open.length, left: counts, ...(open.length > 0 ? { path } : {}) });
  else {
    invocation.print(
      open.length === 0 ? "No session can be tried again." : `${plural(open.length, "task")} in ${cleanLine(path)}.`,
    );
    for (const [why, count] of Object.entries(counts)) invocation.print(`  ${count} left out: ${cleanLine(why)}`);
    if (open.length > 0)
      invocation.print(`  next: limbeck skills lift --agent "YOUR AGENT {prompt}" --dataset ${cleanLine(out)}`);
  }
  return EXIT.done;
}

/** A task whose tests pass at once tells nothing about anybody's work. The tests are run, so a person is asked. */
async function stillOpen(invocation: Invocation, tasks: readonly ReplayTask[]): Promise<ReplayTask[]> {
  if (tasks.every(({ check }) => check === undefined)) return [...tasks];
  await mayRunChecks(invocation, tasks);
  const prepare = invocation.text("prepare");
  const open: ReplayTask[] = [];
  for (const task of tasks) {
    if (task.check === undefined || !(await passes(task, prepare, invocation.io.signal))) open.push(task);
  }
  return open;
}

async function passes(given: ReplayTask, prepare: string | undefined, signal: AbortSignal): Promise<boolean> {
  const { id, goal, ...rest } = given;
  const task = { id, env: "agent", seed: 0, goal, split: "valid", data: rest as unknown as JsonObject };
  // An agent that does nothing.
  const program = { command: process.execPath, args: ["-e", ""], taskChecks: true, timeoutMs: 600_000 };
  const ready = prepare === undefined ? {} : { prepare: commandWords(prepare, "prepare") };
  return (await runOwnAgent(task, { ...program, ...ready }, signal)).success === true;
}

/** The commands come from sessions and files; nothing of them runs before somebody has seen them. */
export async function mayRunChecks(
  invocation: Invocation,
  tasks: readonly Pick<ReplayTask, "check" | "repository">[],
): Promise<void> {
  const lines = new Map<string, number>();
  for (const { check, repository } of tasks) {
    if (check === undefined) continue;
    const line = `${check.join(" ")}${repository === undefined ? "" : `   in a copy of ${repository.path}`}`;
    lines.set(line, (lines.get(line) ?? 0) + 1);
  }
  if (lines.size === 0) return;
  const shown = [...lines].map(([line, count]) => `  ${String(count).padStart(4)} × ${cleanLine(line)}`);
  if (invocation.flag("yes")) return;
  const answer = await invocation.io.ask(
    `These programs judge the tasks:\n${shown.slice(0, 40).join("\n")}\nRun them? [y/N] `,
  );
  if (answer !== undefined && /^y(?:es)?$/i.test(answer.trim())) return;
  throw new EngineError(
    "needs-yes",
    `The tasks are judged by programs that their sessions named: ${[...lines.keys()].slice(0, 5).map(cleanLine).join("; ")}. --yes runs them.`,
    { details: { programs: [...lines.keys()] } },
  );
}
