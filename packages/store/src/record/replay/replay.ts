/** Stored sessions as a file of tasks that can be tried again. */
import { commandWords } from "limbeck-base/base/command-words";
import { neededPath } from "limbeck-base/base/given-file";
import { replaceFile } from "limbeck-base/base/files";
import { runOwnAgent } from "limbeck-worlds/agent/agent-world";
import { mayRunChecks } from "./may-run-checks.ts";
import { givenLibrary } from "limbeck-core/skill/library/given-library";
import type { JsonObject } from "limbeck-base/base/json";
import { storedTrajectories } from "../following/stored-trajectories.ts";
import type { ReplayContext, ReplayInput } from "../skills.inputs.ts";
import { replaySet, type ReplayTask } from "./replay-set.ts";

/** How many tasks, why the other sessions are none, and the file, where there are tasks. */
export async function replayStored(given: ReplayInput, context: ReplayContext) {
  const path = neededPath(context, given.out, '"limbeck skills replay" needs --out FILE.jsonl.');
  const library = givenLibrary(given, context);
  const { skills } = await library.list();
  const cited = await Promise.all(skills.map(async ({ name }) => (await library.read(name)).evidence));
  const learntFrom = new Set(cited.flat().map(({ trajectory }) => trajectory));
  const { trajectories } = await storedTrajectories(given, context);
  const { tasks, left } = await replaySet(trajectories, { learntFrom });
  const open = await stillOpen(given, context, tasks);
  const passed = tasks.length - open.length;
  const replayed = {
    tasks: open.length,
    left: { ...left, ...(passed > 0 ? { "its tests pass before anything is done": passed } : {}) },
    ...(open.length > 0 ? { path } : {}),
  };
  if (open.length > 0) await replaceFile(path, open.map((task) => `${JSON.stringify(task)}\n`).join(""));
  context.emit({ event: "end", ...replayed });
  return replayed;
}

/** A task whose tests pass at once tells nothing about anybody's work. The tests are run, so a person is asked. */
async function stillOpen(given: ReplayInput, context: ReplayContext, tasks: readonly ReplayTask[]) {
  if (tasks.every(({ check }) => check === undefined)) return [...tasks];
  await mayRunChecks(given, context, tasks);
  const open: ReplayTask[] = [];
  for (const task of tasks) {
    if (task.check === undefined || !(await passes(task, given.prepare, context.signal))) open.push(task);
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
