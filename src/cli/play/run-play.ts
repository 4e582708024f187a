/** A game from the command line: open the world, then play by hand or from a list of commands. */
import { resolve } from "node:path";
import { EngineError } from "../../base/index.ts";
import type { Demonstrator, Env, WorldOptions } from "../../env/index.ts";
import { demonstratorsOf } from "../../env/world.ts";
import type { Task } from "../../trajectory/index.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine, cleanLines } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { hintText, playByHand } from "./by-hand.ts";
import { startSession, stepData, type PlaySession } from "./session.ts";
import { loadWorldPart } from "../natives.ts";
import type { PlayFrame, PlayInput } from "./play.inputs.ts";
import { chosenWorld, readCommands } from "./world-options.ts";

export async function runPlay(input: PlayInput, invocation: PlayFrame): Promise<number> {
  const { io } = invocation;
  const { id, world } = await chosenWorld(invocation, "play");
  await loadWorldPart(world);
  const env = await world.create(worldOptions(input, invocation.cwd));
  const task = await chosenTask(input, env);
  const file = input.commands ?? (invocation.json || !io.terminal.in ? "-" : undefined);
  const commands = file === undefined ? undefined : await readCommands(invocation, file);
  const { search } = input;
  if (search !== undefined && commands !== undefined) {
    throw usageError("--search proposes to a player: play by hand, on a terminal; limbeck search plays by itself.");
  }
  // Searches are loaded when one is used.
  const searcher =
    search === undefined
      ? undefined
      : await (await import("./searcher.ts")).openSearcher({ ...input, search }, invocation, { env, task, world, id });
  const session = await startSession(env, task, io.signal);
  try {
    const demonstrator = expertOf(demonstratorsOf(world, env));
    if (commands !== undefined) await playCommands(invocation, session, commands, demonstrator);
    else await playByHand(invocation, session, { demonstrator, searcher });
  } finally {
    await session.close();
    await searcher?.close();
  }
  return EXIT.done;
}

/** --game and --root are paths of the command line, so relative to where it was typed. */
function worldOptions({ options, ...input }: PlayInput, cwd: string): WorldOptions {
  const paths = (["game", "root"] as const).flatMap((name) => {
    const path = input[name];
    return path === undefined ? [] : [[name, resolve(cwd, path)] as const];
  });
  return { ...options, ...Object.fromEntries(paths) };
}

async function chosenTask(input: PlayInput, env: Env): Promise<Task> {
  const { split = Object.keys(env.splits)[0] ?? "", task: offset } = input;
  for await (const task of env.tasks(split, { offset, count: 1 })) return task;
  throw new EngineError(
    "usage",
    `Split "${split}" of ${env.id} has ${plural(env.splits[split] ?? 0, "task")}; --task ${offset} is none.`,
  );
}

function expertOf(demonstrators: ReturnType<typeof demonstratorsOf>) {
  return demonstrators["expert"] ?? Object.values(demonstrators)[0];
}

async function playCommands(
  invocation: PlayFrame,
  session: PlaySession,
  commands: readonly string[],
  demonstrator: Demonstrator | undefined,
): Promise<void> {
  const { style } = invocation;
  invocation.emit(stepData(session, null, undefined));
  for (const line of cleanLines(session.episode.observation)) invocation.print(line);
  let done = 0;
  let at = 0;
  for (const command of commands) {
    // The words of a player, where the world does not know them; a program (--json) acts and nothing else.
    const isWord = !invocation.json && session.episode.admissible()?.includes(command) !== true;
    if (isWord && (command === "quit" || command === "exit")) {
      at = commands.length;
      break;
    }
    if (isWord && command === "undo") {
      at += 1;
      if (await session.undo()) done -= 1;
      invocation.print();
      for (const line of cleanLines(session.episode.observation)) invocation.print(line);
      continue;
    }
    if (session.episode.ending !== undefined) break;
    at += 1;
    if (isWord && command === "hint") {
      invocation.print(await hintText(session, demonstrator));
      continue;
    }
    const result = await session.act(command);
    done += 1;
    invocation.emit(stepData(session, command, result));
    invocation.print();
    invocation.print(style.cyan(`> ${cleanLine(command)}`));
    for (const line of cleanLines(session.episode.observation)) invocation.print(line);
  }
  const { ending, success } = session.episode;
  const verdict = success === true ? ", success" : success === false ? ", no success" : "";
  invocation.print();
  invocation.print(
    style.bold(`${plural(done, "step")}, ${ending === undefined ? "not ended" : `ended (${ending})${verdict}`}`),
  );
  const left = commands.length - at;
  if (left > 0) invocation.note(`${plural(left, "command")} left over after the end.`);
}
