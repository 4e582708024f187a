/** The environment: official game files (or any in their form) as tasks. */
import { EngineError } from "../../base/index.ts";
import type { Task } from "../../trajectory/index.ts";
import type { Env } from "../env.ts";
import { unknownSplit } from "../episode-error.ts";
import { openGameEpisode, type GameEpisodeOptions } from "./episode.ts";
import { familyOf } from "./family.ts";
import { parseGameFile, type GameFile } from "./game-file.ts";
import { createGameReader, type Game } from "./game.ts";
import { parseGrammar } from "./grammar.ts";
import { fileLibrary, openLibrary, type Library } from "./library.ts";
import { opid } from "./opid.ts";

export interface AlfworldOptions extends Partial<GameEpisodeOptions> {
  /** Folder of games. */
  readonly root?: string;
  /** Or single game files. */
  readonly games?: readonly string[];
  /** A named set of the options below; what is given beside it wins. */
  readonly preset?: keyof typeof PRESETS;
  /** Games kept ready; the ones used longest ago are dropped and read again when needed. */
  readonly keptGames?: number;
}

/** 50 steps is what the usual ALFWorld trainers allow; OPID allows 30 and leaves `help` out of the list. */
const PRESETS = {
  alfworld: { maxSteps: 50, winReward: 10, hiddenCommands: [] },
  opid: { maxSteps: opid.maxSteps, winReward: opid.winReward, hiddenCommands: opid.hiddenCommands },
} as const satisfies Record<string, GameEpisodeOptions>;

/**
 * The games of a folder, or single game files, as a world.
 *
 * @example
 * import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { dirname, join } from "node:path";
 * import { household } from "limbeck/env/household";
 *
 * const root = await mkdtemp(join(tmpdir(), "games-"));
 * for await (const { path, text } of household.generate?.({ seed: 1, count: 1, split: "train" }) ?? []) {
 *   await mkdir(dirname(join(root, path)), { recursive: true });
 *   await writeFile(join(root, path), text);
 * }
 * console.log((await createAlfworld({ root })).splits); // { train: 1 }
 * await rm(root, { recursive: true });
 */
export async function createAlfworld(options: AlfworldOptions): Promise<Env> {
  const { root, games, preset = "alfworld", keptGames = 1_000 } = options;
  if ((root === undefined) === (games === undefined)) {
    throw new EngineError("bad-options", "alfworld needs either `root` (a folder of games) or `games` (single files).");
  }
  const library = root === undefined ? fileLibrary(games ?? []) : await openLibrary(root);
  const chosen = PRESETS[preset];
  const episodeOptions: GameEpisodeOptions = {
    maxSteps: options.maxSteps ?? chosen.maxSteps,
    winReward: options.winReward ?? chosen.winReward,
    hiddenCommands: options.hiddenCommands ?? chosen.hiddenCommands,
  };
  const load = keepLatest(keptGames, gameLoader(library));
  return {
    id: "alfworld",
    summary: "The ALFWorld household text games, played from their official files.",
    maxSteps: episodeOptions.maxSteps,
    splits: Object.fromEntries([...library.splits].map(([split, paths]) => [split, paths.length])),
    tasks: (split, { offset = 0, count = Number.POSITIVE_INFINITY } = {}) => {
      const paths = library.splits.get(split);
      if (paths === undefined) throw unknownSplit("alfworld", split, [...library.splits.keys()]);
      return listTasks(library, split, paths.slice(offset, offset + count));
    },
    open: async (task) => openGameEpisode(task, await load(gamePath(task)), episodeOptions),
  };
}

async function* listTasks(library: Library, split: string, paths: readonly string[]): AsyncGenerator<Task> {
  for (const path of paths) yield gameTask(path, split, parseGameFile(await library.read(path), path));
}

/** The task of a game file: its goal is the sentence the game itself shows. */
export function gameTask(path: string, split: string, file: GameFile): Task {
  const family = familyOf(path);
  const data = { game: path, ...(family === undefined ? {} : { family }) };
  return { id: path.replace(/\/game\.tw-pddl$/, ""), env: "alfworld", seed: 0, goal: goalOf(file), split, data };
}

const TASK_PHRASE = "Your task is to: ";

/** What stands after the fixed phrase in the rule "task" of the grammar. */
export function goalOf(file: GameFile): string {
  const production = parseGrammar(file.grammar).rules.get("task")?.[0];
  const text = (production?.template ?? []).map((part) => (part.kind === "text" ? part.text : "")).join("");
  return text.startsWith(TASK_PHRASE) ? text.slice(TASK_PHRASE.length) : text;
}

function gamePath(task: Task): string {
  const path = task.data?.["game"];
  if (typeof path === "string") return path;
  throw new EngineError("bad-task", `Task "${task.id}" has no data.game, the path of its game file.`);
}

function gameLoader(library: Library): (path: string) => Promise<Game> {
  const reader = createGameReader();
  return async (path) => {
    const file = parseGameFile(await library.read(path), path);
    try {
      return reader.read(file);
    } catch (cause) {
      if (!(cause instanceof EngineError)) throw cause;
      const { code, message, details } = cause;
      throw EngineError.from({ code, message: `${message} File: "${path}".`, details: { ...details, file: path } });
    }
  };
}

/** Remembers the results used last. A failure is not remembered. */
function keepLatest<T>(limit: number, load: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const kept = new Map<string, Promise<T>>();
  return (key) => {
    const known = kept.get(key);
    const value = known ?? load(key);
    kept.delete(key);
    kept.set(key, value);
    if (known === undefined) value.catch(() => kept.delete(key));
    for (const oldest of kept.keys()) {
      if (kept.size <= limit) break;
      kept.delete(oldest);
    }
    return value;
  };
}
