/** Benches of the ALFWorld interpreter on official games; they need `../shared/data/alfworld`. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createRng, pick, type Rng } from "../../packages/base/src/base/rng.ts";
import { createAlfworld, openLibrary } from "../../packages/worlds/src/alfworld/alfworld.ts";
import { createGameReader, type Game } from "../../packages/worlds/src/alfworld/game.ts";
import { openGame, openGameEpisode } from "../../packages/worlds/src/alfworld/episode.ts";
import { parseGameFile } from "../../packages/worlds/src/alfworld/game-file.ts";
import type { Episode } from "../../packages/core/src/env/env.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import type { Bench } from "./harness.ts";

const root = resolve(import.meta.dirname, "../../../shared/data/alfworld");
const STEPS = 4_000;
const FORKS = 4_000;
const OPEN = 10_000;

async function texts(split: string): Promise<string[]> {
  const library = await openLibrary(root);
  return Promise.all((library.splits.get(split) ?? []).map((path) => library.read(path)));
}

/** Games by number of things, a third each: growth with size is visible. */
async function gamesBySize(): Promise<Readonly<Record<"small" | "medium" | "large", readonly Game[]>>> {
  const reader = createGameReader();
  const all = (await texts("train")).map((text) => reader.read(parseGameFile(text)));
  all.sort((left, right) => left.entities.count - right.entities.count);
  const third = Math.ceil(all.length / 3);
  return { small: all.slice(0, third), medium: all.slice(third, 2 * third), large: all.slice(2 * third) };
}

const loading: Bench = {
  name: "alfworld/load",
  summary: "Median time to read one official game from its text, 200 games, rules known from the first.",
  unit: "ms",
  goal: { at: "most", value: 5 },
  setUp: async () => {
    const all = await texts("train");
    return {
      measure: async () => {
        const reader = createGameReader();
        return middle(all.map((text) => elapsedMs(() => reader.read(parseGameFile(text)))));
      },
    };
  },
};

/** Random play in new episodes, the whole list asked for at every step. */
function stroll(games: readonly Game[], rng: Rng, withList: boolean): number {
  let listed = 0;
  for (let step = 0, state = openGame(games[0] as Game), number = 0; step < STEPS; step += 1) {
    if (step % 30 === 0 || state.won) {
      state = openGame(games[number % games.length] as Game);
      state.opening();
      number += 1;
    }
    const commands = withList || step % 30 === 0 ? state.commands() : ["look"];
    listed += commands.length;
    state.act(pick(commands, rng) ?? "look");
  }
  return listed / STEPS;
}

const stepping = (["small", "medium", "large"] as const).map((size): Bench => ({
  name: `alfworld/steps-${size}`,
  summary: `Random steps in a second with the full list at each, 30 to an episode, opening included; the ${size} third of 200 games.`,
  unit: "steps/s",
  goal: { at: "least", value: 5_000 },
  setUp: async () => {
    const games = (await gamesBySize())[size];
    let [run, listed] = [0, 0];
    return {
      measure: async () => {
        run += 1;
        const time = elapsedMs(() => {
          listed = stroll(games, createRng(run), true);
        });
        return (STEPS / time) * 1000;
      },
      notes: () => ({ listLength: listed, things: middle(games.map((game) => game.entities.count)) }),
    };
  },
}));

const unlisted: Bench = {
  name: "alfworld/steps-unlisted",
  summary: "Steps in a second of a caller who does not ask for the list.",
  unit: "steps/s",
  setUp: async () => {
    const games = (await gamesBySize()).medium;
    return { measure: async () => (STEPS / elapsedMs(() => void stroll(games, createRng(1), false))) * 1000 };
  },
};

const forking: Bench = {
  name: "alfworld/fork",
  summary: "Median time of one fork in the middle of an episode whose list has been asked for.",
  unit: "µs",
  goal: { at: "most", value: 20 },
  setUp: async () => {
    const [game] = (await gamesBySize()).large;
    const state = openGame(game as Game);
    for (let step = 0; step < 5; step += 1) state.act(state.commands()[step] ?? "look");
    state.commands();
    return {
      measure: async () => {
        const times: number[] = [];
        for (let index = 0; index < FORKS; index += 1) times.push(elapsedMs(() => state.fork()) * 1000);
        return middle(times);
      },
    };
  },
};

const holding: Bench = {
  name: "alfworld/open-10000",
  summary: "Memory growth with 10,000 episodes open at once over the 200 training games, each after three steps.",
  unit: "MiB",
  goal: { at: "most", value: 2_048 },
  repetitions: 1,
  warmUps: 0,
  setUp: async () => {
    const env = await createAlfworld({ root });
    const tasks: Task[] = [];
    for await (const task of env.tasks("train")) tasks.push(task);
    const open: Episode[] = [];
    return {
      measure: async () => {
        const before = heldMib();
        for (let index = 0; index < OPEN; index += 1) {
          const episode = await env.open(tasks[index % tasks.length] as Task);
          for (let step = 0; step < 3; step += 1) await episode.step(episode.admissible()?.[step] ?? "look");
          open.push(episode);
        }
        return heldMib() - before;
      },
      notes: () => ({ open: open.length }),
    };
  },
};

const holdingDifferent: Bench = {
  name: "alfworld/open-10000-games",
  summary: "Memory growth with 10,000 episodes open, every one of a game read for it alone, each after three steps.",
  unit: "MiB",
  goal: { at: "most", value: 2_048 },
  repetitions: 1,
  warmUps: 0,
  setUp: async () => {
    const all = await texts("train");
    const open: Episode[] = [];
    return {
      measure: async () => {
        const before = heldMib();
        const reader = createGameReader();
        for (let index = 0; index < OPEN; index += 1) {
          const task = { id: String(index), env: "alfworld", seed: 0, goal: "", split: "train" };
          const game = reader.read(parseGameFile(all[index % all.length] as string));
          const episode = openGameEpisode(task, game, { maxSteps: 30, winReward: 10, hiddenCommands: [] });
          for (let step = 0; step < 3; step += 1) await episode.step(episode.admissible()?.[step] ?? "look");
          open.push(episode);
        }
        return heldMib() - before;
      },
      notes: () => ({ open: open.length }),
    };
  },
};

/** What is held after a collection, in MiB. Resident memory would not do: earlier benches leave room in it. */
function heldMib(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}

function elapsedMs(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function middle(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}

/** None where the official games are missing: users get them with ALFWorld's own download command. */
export const alfworldBenches: readonly Bench[] = existsSync(root)
  ? [loading, ...stepping, unlisted, forking, holding, holdingDifferent]
  : [];
