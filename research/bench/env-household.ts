/** Benches of the household world: how fast it makes and plays games, what it holds in memory, who solves how many. */
import { createRng, pick, type Rng } from "../../packages/base/src/base/rng.ts";
import type { Env, Episode } from "../../packages/core/src/env/env.ts";
import type { Demonstrator } from "../../packages/core/src/env/expert.ts";
import { demonstrate, createWanderer, expert, guesser } from "../../packages/worlds/src/household/demonstrators.ts";
import { createHousehold } from "../../packages/worlds/src/household/household.ts";
import { dials, type DialName } from "../../packages/worlds/src/household/dial.ts";
import { familyIds } from "../../packages/worlds/src/household/families.ts";
import { generateGames, splitIds } from "../../packages/worlds/src/household/generate.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import { memoryMib, seconds, type Bench } from "./harness.ts";

const dialNames = Object.keys(dials) as readonly DialName[];
const MADE = 500;
const STEPS = 5_000;
const OPEN = 10_000;
const GAMES = 10_000;
const WEAK_GAMES = 600;

function tasksOf(env: Env, split: string, count: number, offset = 0): Iterable<Task> {
  return env.tasks(split, { count, offset }) as Iterable<Task>;
}

const generating = (["tiny", "medium", "official"] as const).map((dial): Bench => ({
  name: `household/generate-${dial}`,
  summary: `Game files made in a second as JSON text, dial ${dial}, all six families.`,
  unit: "games/s",
  goal: { at: "least", value: 500 },
  setUp: async () => {
    let bytes = 0;
    let seed = 0;
    return {
      measure: async () => {
        bytes = 0;
        seed += 1;
        const time = await seconds(async () => {
          for (const { game } of generateGames({ seed, count: MADE, dial })) bytes += JSON.stringify(game).length;
        });
        return MADE / time;
      },
      notes: () => ({ bytesPerGame: Math.round(bytes / MADE) }),
    };
  },
}));

/** Games to play at random, enough for the steps of one run. */
async function openMany(env: Env, run: number): Promise<readonly Episode[]> {
  const count = Math.ceil((1.3 * STEPS) / env.maxSteps) + 20;
  const episodes: Episode[] = [];
  for (const task of tasksOf(env, "train", count, run * count)) episodes.push(await env.open(task));
  return episodes;
}

/** Random play, the list asked for at every step; tells how many steps were taken. */
async function stroll(episodes: readonly Episode[], rng: Rng): Promise<number> {
  let steps = 0;
  for (const episode of episodes) {
    while (episode.ending === undefined && steps < STEPS) {
      await episode.step(pick(episode.admissible() ?? [], rng) ?? "look");
      steps += 1;
    }
  }
  return steps;
}

const stepping = (["tiny", "medium", "official"] as const).map((dial): Bench => ({
  name: `household/steps-${dial}`,
  summary: `Random steps in a second with the full list at each, over freshly opened games, dial ${dial}.`,
  unit: "steps/s",
  setUp: async () => {
    const env = createHousehold({ dial });
    let run = 0;
    let openings = 0;
    return {
      measure: async () => {
        run += 1;
        let episodes: readonly Episode[] = [];
        const opening = await seconds(async () => {
          episodes = await openMany(env, run);
        });
        openings = Math.round(episodes.length / opening);
        let steps = 0;
        const time = await seconds(async () => {
          steps = await stroll(episodes, createRng(run));
        });
        return steps / time;
      },
      notes: () => ({ gamesMadeAndOpenedPerSecond: openings }),
    };
  },
}));

/** Every game is opened `together` times, as the rollouts of one group are. */
const holding = ([8, 1] as const).map((together): Bench => ({
  name: `household/open-10000-${together === 1 ? "different" : "grouped"}`,
  summary: `Memory growth with 10,000 official-size episodes open, ${together} of each game, each after three steps.`,
  unit: "MiB",
  goal: { at: "most", value: 2_048 },
  repetitions: 1,
  warmUps: 0,
  setUp: async () => {
    const env = createHousehold({ dial: "official" });
    let open: readonly Episode[] = [];
    return {
      measure: async () => {
        const before = memoryMib();
        open = await holdOpen(env, together);
        return memoryMib() - before;
      },
      notes: () => {
        const held = open.length;
        // Given up, so that the next bench starts from little.
        open = [];
        return { open: held };
      },
    };
  },
}));

async function holdOpen(env: Env, together: number): Promise<readonly Episode[]> {
  const open: Episode[] = [];
  for (const task of tasksOf(env, "train", OPEN / together)) {
    for (let copy = 0; copy < together; copy += 1) {
      const episode = await env.open(task);
      for (let step = 0; step < 3; step += 1) await episode.step(episode.admissible()?.[copy + step] ?? "look");
      open.push(episode);
    }
  }
  return open;
}

const solving: Bench = {
  name: "household/expert-10000",
  summary: "Games the expert solves within the horizon, of 10,000 over all dials, splits and families.",
  unit: "games",
  goal: { at: "least", value: GAMES },
  repetitions: 1,
  warmUps: 0,
  setUp: async () => {
    const perDial = new Map<string, number>();
    return {
      measure: async () => {
        const each = Math.ceil(GAMES / (dialNames.length * splitIds.length));
        let [played, solved] = [0, 0];
        for (const dial of dialNames) {
          const env = createHousehold({ dial, seed: 1 });
          for (const split of splitIds) {
            const count = Math.min(each, GAMES - played);
            const won = await solvedBy(expert, env, split, count);
            perDial.set(dial, (perDial.get(dial) ?? 0) + won.length);
            played += count;
            solved += won.length;
          }
        }
        return solved;
      },
      notes: () => Object.fromEntries(perDial),
    };
  },
};

const demonstrators: readonly Demonstrator[] = [expert, createWanderer(), guesser];

const weak = dialNames.flatMap((dial) =>
  demonstrators.map((demonstrator): Bench => ({
    name: `household/success-${dial}-${demonstrator.id}`,
    summary: `Success of the ${demonstrator.id} on ${WEAK_GAMES} training games, dial ${dial}; per family in the notes.`,
    unit: "of 1",
    repetitions: 1,
    warmUps: 0,
    setUp: async () => {
      let won: readonly Task[] = [];
      const each = WEAK_GAMES / familyIds.length;
      return {
        measure: async () => {
          won = await solvedBy(demonstrator, createHousehold({ dial }), "train", WEAK_GAMES);
          return won.length / WEAK_GAMES;
        },
        notes: () =>
          Object.fromEntries(
            familyIds.map((family) => [family, won.filter((task) => task.data?.["family"] === family).length / each]),
          ),
      };
    },
  })),
);

async function solvedBy(demonstrator: Demonstrator, env: Env, split: string, count: number): Promise<readonly Task[]> {
  const won: Task[] = [];
  for (const task of tasksOf(env, split, count)) {
    const { success } = await demonstrate(await env.open(task), demonstrator, createRng(task.id));
    if (success === true) won.push(task);
  }
  return won;
}

export const householdBenches: readonly Bench[] = [...generating, ...stepping, ...holding, solving, ...weak];
