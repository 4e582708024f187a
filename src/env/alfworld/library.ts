/** Games in a folder, as `<split>/<family>-<object>-<…>/<trial>/game.tw-pddl`, without ever leaving that folder. */
import { readdir, readFile, realpath } from "node:fs/promises";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { EngineError, errorCode, groupedBy } from "../../base/index.ts";

export const GAME_FILE_NAME = "game.tw-pddl";

export interface Library {
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
export function fileLibrary(files: readonly string[]): Library {
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
  return readFile(file, "utf8").catch((cause: unknown) => {
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
