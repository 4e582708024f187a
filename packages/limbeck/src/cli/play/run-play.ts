/** A game from the command line: open the world, then play by hand or from a list of commands. */
import { resolve } from "node:path";
import { createRng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { advice, type Demonstrator, type Seen } from "limbeck-core/env/expert";
import type { Env, Episode, StepResult } from "limbeck-core/env/env";
import { type WorldOptions, demonstratorsOf } from "limbeck-core/env/world";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine, cleanLines } from "limbeck-base/base/clean-text";
import { wrap } from "../look/text-width.ts";
import { plural } from "limbeck-base/base/units";
import { usageError } from "../parse.ts";
import type { PlayFrame, PlayInput } from "./play.inputs.ts";
import type { Searcher } from "./searcher.ts";
import { chosenWorld, readCommands } from "./world-options.ts";

export async function runPlay(input: PlayInput, invocation: PlayFrame): Promise<number> {
  const { io } = invocation;
  const { id, world } = await chosenWorld(invocation, "play");
  // Without it every episode would be lost.
  await invocation.need(world.part === undefined ? [] : [world.part]);
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

// Playing by hand: the observation, numbered actions, and a question, until the episode or the player ends it.

/** Longer lists are cut; "list" shows all of it. */
const SHOWN_ACTIONS = 30;

const WORDS =
  "a number or any text acts; undo takes a step back; hint asks the expert; list shows every action; quit ends";

/** Whom the player may ask. */
interface Advisers {
  readonly demonstrator: Demonstrator | undefined;
  readonly searcher: Searcher | undefined;
}

async function playByHand(
  invocation: Invocation,
  session: PlaySession,
  { demonstrator, searcher }: Advisers,
): Promise<void> {
  const { io, style } = invocation;
  const words = searcher === undefined ? WORDS : `${WORDS}; search proposes an action, yes does it`;
  for (const line of wrap(words, io.terminal.columns)) invocation.print(style.dim(line));
  show(invocation, session);
  let proposed: string | undefined;
  for (;;) {
    const answer = await io.ask(session.episode.ending === undefined ? "> " : "(undo or quit) > ");
    if (answer === undefined) return;
    const text = answer.trim();
    if (text === "quit" || text === "exit") return;
    if (text === "") continue;
    if (text === "undo") {
      if (await session.undo()) show(invocation, session);
      else invocation.print("Nothing to take back.");
    } else if (text === "list") actions(invocation, session, Number.POSITIVE_INFINITY);
    else if (session.episode.ending !== undefined) invocation.print("The episode has ended.");
    else if (text === "hint") invocation.print(await hintText(session, demonstrator));
    else if (text === "search" && searcher !== undefined) {
      const { action, words: said } = await searcher.propose(session.actions);
      proposed = action;
      invocation.print(said);
      continue;
    } else await act(invocation, session, text === "yes" ? (proposed ?? text) : text);
    // What was proposed for another moment is worth nothing here.
    proposed = undefined;
  }
}

async function hintText(session: PlaySession, demonstrator: Demonstrator | undefined): Promise<string> {
  if (demonstrator === undefined) return "This world has no expert.";
  const id = cleanLine(demonstrator.id);
  try {
    return `The ${id} would: ${cleanLine((await session.hint(demonstrator)) ?? "nothing")}`;
  } catch (error) {
    // A game in words it never learnt must not end the player's own game.
    return `The ${id} has no advice: ${cleanLine(error instanceof Error ? error.message : String(error))}`;
  }
}

async function act(invocation: Invocation, session: PlaySession, text: string): Promise<void> {
  const numbered = /^\d+$/.test(text) ? session.episode.admissible()?.[Number(text) - 1] : undefined;
  const action = numbered ?? text;
  if (numbered !== undefined) invocation.print(invocation.style.cyan(`> ${cleanLine(action)}`));
  const result = await session.act(action);
  if (!result.valid) invocation.print(invocation.style.dim("(not possible here)"));
  const reward = scoreValue(result.reward);
  if (reward !== 0) invocation.print(invocation.style.yellow(`reward ${reward ?? "unknown"}`));
  show(invocation, session);
}

function show(invocation: Invocation, session: PlaySession): void {
  const { episode } = session;
  const { style } = invocation;
  invocation.print();
  const { columns } = invocation.io.terminal;
  for (const line of cleanLines(episode.observation)) for (const part of wrap(line, columns)) invocation.print(part);
  if (episode.ending === undefined) return actions(invocation, session, SHOWN_ACTIONS);
  const verdict =
    episode.success === true ? style.green("success") : episode.success === false ? "no success" : "no verdict";
  invocation.print();
  invocation.print(`${style.bold(`Ended (${episode.ending}) after ${plural(session.steps, "step")}:`)} ${verdict}`);
  if (episode.failure !== undefined) invocation.print(style.red(cleanLine(episode.failure.message)));
}

function actions(invocation: Invocation, session: PlaySession, most: number): void {
  const list = session.episode.admissible();
  const { style } = invocation;
  invocation.print();
  if (list === undefined) return invocation.print(style.dim("Actions are free text here."));
  for (const [index, action] of list.slice(0, most).entries()) {
    invocation.print(`${style.dim(String(index + 1).padStart(3))} ${cleanLine(action)}`);
  }
  if (list.length > most) invocation.print(style.dim(`    and ${list.length - most} more: list`));
}

// An episode with a way back: every step leaves a fork of the moment before it.

interface PlaySession {
  readonly episode: Episode;
  readonly steps: number;
  /** Everything that was done and not taken back. */
  readonly actions: readonly string[];
  act(action: string): Promise<StepResult>;
  /** False at the opening, where there is nothing to take back. */
  undo(): Promise<boolean>;
  hint(demonstrator: Demonstrator): Promise<string | undefined>;
  close(): Promise<void>;
}

async function startSession(env: Env, task: Task, signal: AbortSignal): Promise<PlaySession> {
  let episode = await env.open(task, { signal });
  const earlier: Episode[] = [];
  const seen: Seen[] = [moment(episode, undefined)];
  return {
    get episode() {
      return episode;
    },
    get steps() {
      return earlier.length;
    },
    get actions() {
      return seen.flatMap(({ action }) => (action === undefined ? [] : [action]));
    },
    act: async (action) => {
      const before = await episode.fork();
      const result = await episode.step(action, { signal });
      earlier.push(before);
      seen.push(moment(episode, action));
      return result;
    },
    undo: async () => {
      const before = earlier.pop();
      if (before === undefined) return false;
      await episode.close();
      episode = before;
      seen.pop();
      return true;
    },
    hint: (demonstrator) => advice(demonstrator, task, seen, createRng(task.seed)),
    close: async () => {
      for (const held of [...earlier, episode]) await held.close();
    },
  };
}

function moment(episode: Episode, action: string | undefined): Seen {
  return { action, observation: episode.observation, admissible: episode.admissible() };
}

/** One step as data. The opening is step 0, of no action. */
function stepData(session: PlaySession, action: string | null, result: StepResult | undefined): object {
  const { episode, steps } = session;
  const { ending } = episode;
  return {
    step: steps,
    action,
    observation: episode.observation,
    admissible: episode.admissible() ?? null,
    reward: result === undefined ? 0 : (scoreValue(result.reward) ?? null),
    done: ending !== undefined,
    ending: ending ?? null,
    // A world that is still undecided has not succeeded yet; one that ended without a verdict says null.
    success: episode.success ?? (ending === undefined ? false : null),
    valid: result?.valid ?? true,
  };
}
