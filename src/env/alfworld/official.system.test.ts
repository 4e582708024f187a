/** The interpreter against the official games and against recordings of the real environment. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { parseGameFile } from "./game-file.ts";
import { createGameReader, type Game } from "./game.ts";
import { openLibrary } from "./library.ts";
import { openGame } from "./state.ts";

const root = resolve(import.meta.dirname, "../../../../shared/data/alfworld");
const noData = !existsSync(root);
const why = "needs ../shared/data/alfworld, the official games";

/** Loading is shared by the tests; games do not change while they are played. */
const loading = new Map<string, Promise<Map<string, Game>>>();

function games(split: string): Promise<Map<string, Game>> {
  const known = loading.get(split) ?? loadGames(split);
  loading.set(split, known);
  return known;
}

async function loadGames(split: string): Promise<Map<string, Game>> {
  const library = await openLibrary(root);
  const reader = createGameReader();
  const found = new Map<string, Game>();
  for (const path of library.splits.get(split) ?? []) {
    const name = path.split("/").slice(1, 3).join("/");
    found.set(name, reader.read(parseGameFile(await library.read(path), path)));
  }
  return found;
}

interface AgentTrace {
  readonly steps: readonly { readonly observation: string }[];
}

test.skipIf(noData)(
  `openings that language-model agents were shown are those of the games held here (${why})`,
  async () => {
    const openings = new Map<string, readonly string[]>();
    for (const split of ["valid_seen", "train"]) {
      for (const game of (await games(split)).values())
        openings.set(openGame(game).opening(), openGame(game).commands());
    }
    let compared = 0;
    for (const trace of readLines<AgentTrace>("agent-traces.jsonl")) {
      const prompt = trace.steps[0]?.observation ?? "";
      const opening = /Your current observation is: ([\s\S]*?)\nYour admissible actions/.exec(prompt)?.[1] ?? "";
      const listed = /admissible actions of the current situation are: \[([^\]]*)\]/.exec(prompt)?.[1];
      const commands = openings.get(opening);
      if (commands === undefined || listed === undefined) continue;
      const shown = [...listed.matchAll(/'([^']*)'/g)].map((match) => match[1]);
      expect(shown).toEqual(commands.filter((command) => command !== "help"));
      compared += 1;
    }
    // The other 412 logs are of games that are not held here.
    expect(compared).toBe(20);
  },
);

function readLines<T>(name: string): T[] {
  const lines = readFileSync(resolve(root, name), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as T);
}
