/** The environment: official game files (or any in their form) as tasks. */
import { readdir, realpath } from "node:fs/promises";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { groupedBy } from "limbeck-base/base/grouped-by";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Env } from "limbeck-core/env/env";
import { unknownSplit } from "limbeck-core/env/episode-error";
import { keepLatest } from "limbeck-core/env/keep-latest";
import { openGameEpisode, type GameEpisodeOptions } from "./episode.ts";
import { parseGameFile, type GameFile } from "./game-file.ts";
import { familyOf } from "limbeck-base/trajectory/household-family";
import { plainText } from "limbeck-base/base/plain-file";
import { createGameReader, type Game } from "./game.ts";
import { parseGrammar } from "./grammar.ts";
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
 * import { household } from "limbeck/env";
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
function gameTask(path: string, split: string, file: GameFile): Task {
  const family = familyOf(path);
  const data = { game: path, ...(family === undefined ? {} : { family }) };
  return { id: path.replace(/\/game\.tw-pddl$/, ""), env: "alfworld", seed: 0, goal: goalOf(file), split, data };
}

const TASK_PHRASE = "Your task is to: ";

/** What stands after the fixed phrase in the rule "task" of the grammar. */
function goalOf(file: GameFile): string {
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

// Games in a folder, as `<split>/<family>-<object>-<…>/<trial>/game.tw-pddl`, without ever leaving that folder.

const GAME_FILE_NAME = "game.tw-pddl";

interface Library {
  /** Paths of game files by split, relative, with forward slashes, sorted. */
  readonly splits: ReadonlyMap<string, readonly string[]>;
  read(path: string): Promise<string>;
}

/** How deep below the root games may lie: split, family, trial, and one more. */
const MAX_DEPTH = 4;

/** Given a split's own folder rather than the one above, its name is the split. */
export async function openLibrary(root: string): Promise<Library> {
  const top = await realpath(root).catch((cause: unknown) => {
    throw new EngineError("no-games", `Cannot open the folder of games "${root}" (${errorCode(cause) ?? "unknown"}).`, {
      cause,
    });
  });
  const paths = await findGames(top, "", 0);
  if (paths.length === 0) {
    throw new EngineError(
      "no-games",
      `No file named ${GAME_FILE_NAME} in "${root}". Expected <split>/<family>-…/<trial>/${GAME_FILE_NAME}.`,
    );
  }
  const splits = groupedBy(paths.sort(), (path) => {
    const parts = path.split("/");
    return parts.length >= MAX_DEPTH ? parts[0] : basename(top);
  });
  return { splits, read: (path) => readInside(top, path) };
}

/** Single files, each its own path, in one split named "games". */
function fileLibrary(files: readonly string[]): Library {
  const known = new Set(files);
  return {
    splits: new Map([["games", files]]),
    read: async (path) => {
      if (known.has(path)) return readGame(path, path);
      throw new EngineError("unknown-game", `The game "${path}" is not among the files given.`);
    },
  };
}

async function findGames(root: string, below: string, depth: number): Promise<string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile() && entry.name === GAME_FILE_NAME) found.push(path);
    if (entry.isDirectory() && depth < MAX_DEPTH) found.push(...(await findGames(root, path, depth + 1)));
  }
  return found;
}

/** The path comes with a task, so from anywhere: it must stay below the root, links included. */
async function readInside(root: string, path: string): Promise<string> {
  const outside = new EngineError("path-outside", `The game path "${path}" leads out of the folder of games.`);
  if (isAbsolute(path) || path.includes("\0")) throw outside;
  const wanted = resolve(root, path);
  if (escapes(root, wanted)) throw outside;
  const real = await realpath(wanted).catch((cause: unknown) => {
    throw missing(path, cause);
  });
  if (escapes(root, real)) throw outside;
  return readGame(real, path);
}

async function readGame(file: string, shown: string): Promise<string> {
  return plainText(file).catch((cause: unknown) => {
    throw missing(shown, cause);
  });
}

function escapes(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
}

function missing(path: string, cause: unknown): EngineError {
  return new EngineError("unknown-game", `Cannot read the game "${path}" (${errorCode(cause) ?? "unknown"}).`, {
    cause,
  });
}
