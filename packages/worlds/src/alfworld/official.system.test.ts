/** The interpreter against the official games and against recordings of the real environment. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { createAlfworld, openLibrary } from "./alfworld.ts";
import { parseGameFile } from "./game-file.ts";
import { createGameReader, type Game } from "./game.ts";
import { openGame } from "./episode.ts";

const root = resolve(import.meta.dirname, "../../../../../shared/data/alfworld");
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

/** What is wrong with a game's own walkthrough, if anything. */
function walk(game: Game): string | undefined {
  const state = openGame(game);
  const walkthrough = game.walkthrough ?? [];
  for (const command of walkthrough) {
    if (state.won) return `won before "${command}"`;
    if (!state.commands().includes(command)) return `"${command}" is not listed`;
    if (!state.act(command).valid) return `"${command}" is refused`;
  }
  return state.won && walkthrough.length > 2 ? undefined : "the end is no success";
}

test.skipIf(noData)(`all 140 walkthroughs are admissible step by step and win (${why})`, async () => {
  const all = await games("valid_seen");
  expect(all.size).toBe(140);
  expect([...all].map(([name, game]) => [name, walk(game)]).filter(([, wrong]) => wrong !== undefined)).toEqual([]);
});

test.skipIf(noData)(`all 200 training games load, open and play (${why})`, async () => {
  const all = await games("train");
  expect(all.size).toBe(200);
  let number = 0;
  for (const game of all.values()) {
    const state = openGame(game);
    expect(state.opening()).toMatch(/^-= Welcome to TextWorld, ALFRED! =-\n\nYou are in .*\n\nYour task is to: .+\.$/);
    for (let step = 0; step < 12; step += 1) {
      const commands = state.commands();
      expect(commands).toEqual([...new Set(commands)].sort());
      number += 7;
      const { text, valid } = state.act(commands[number % commands.length]!);
      expect([valid, text]).toEqual([true, expect.stringMatching(/^(You |The |On |This |There's |\nAvailable)/)]);
    }
  }
});

interface Recorded {
  readonly task_id: string;
  readonly query: string;
  readonly is_success: boolean;
  readonly trajectory: readonly { readonly action: string; readonly observation: string }[];
}

interface Run {
  readonly record: Recorded;
  readonly success: boolean;
  readonly steps: { action: string; observation: string }[];
}

/** A record may join several runs, each after a row such as `--- Trajectory 2 (FAILED) ---`. */
function splitRuns(record: Recorded): Run[] {
  const runs: Run[] = [];
  for (const step of record.trajectory) {
    const separator = /^--- Trajectory \d+ \((SUCCESS|FAILED)\) ---$/.exec(step.action);
    if (separator !== null) runs.push({ record, success: separator[1] === "SUCCESS", steps: [] });
    else if (runs.length === 0) runs.push({ record, success: record.is_success, steps: [step] });
    else runs.at(-1)?.steps.push(step);
  }
  return runs;
}

test.skipIf(noData)(`every recorded observation, list and outcome is reproduced (${why})`, async () => {
  const all = new Map([...(await games("valid_seen")), ...(await games("train"))]);
  const records = readLines<Recorded>("transcripts.jsonl");
  const runs = records.flatMap(splitRuns);
  let [observations, lists] = [0, 0];
  for (const { record, success, steps } of runs) {
    const game = all.get(record.task_id)!;
    const state = openGame(game);
    expect(state.opening().endsWith(record.query)).toBe(true);
    for (const { action, observation } of steps) {
      // The recording agent could also ask for the list; the game itself was not stepped then.
      const asksList = action === "check valid actions";
      const got = asksList ? ["Valid actions:", ...state.commands()].join("\n  - ") : state.act(action).text;
      expect([record.task_id, action, got]).toEqual([record.task_id, action, observation]);
      if (asksList) lists += 1;
      else observations += 1;
    }
    expect([record.task_id, state.won]).toEqual([record.task_id, success]);
  }
  expect({ records: records.length, runs: runs.length, observations, lists }).toEqual({
    records: 11,
    runs: 14,
    observations: 135,
    lists: 1,
  });
});

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

test.skipIf(noData)(`tasks carry goal, family and a path inside the folder (${why})`, async () => {
  const env = await createAlfworld({ root, preset: "opid" });
  expect(env.splits).toEqual({ train: 200, valid_seen: 140 });
  const tasks = [];
  for await (const task of env.tasks("valid_seen", { offset: 139 })) tasks.push(task);
  expect(tasks).toHaveLength(1);
  const [task] = tasks;
  expect(task?.data).toMatchObject({ family: "pick_two_obj_and_place", game: `${task?.id}/game.tw-pddl` });
  const episode = await env.open(task!);
  expect(episode.observation).toContain(task!.goal);
  expect(episode.admissible()).not.toContain("help");
});

function readLines<T>(name: string): T[] {
  const lines = readFileSync(resolve(root, name), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as T);
}
