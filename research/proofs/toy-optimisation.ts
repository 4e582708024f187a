/**
 * Searches that refine what they found, with and without it, on a toy optimisation with an exact scorer: short tours through
 * ten cities. A tour is built city by city by a policy that only likes near cities; it reads nothing and is told nothing. All
 * arms score the same number of whole tours.
 *
 *     npx tsx research/proofs/toy-optimisation.ts --jobs 2 --seeds 531,532,533,534,535
 */
import { createRng, scored, type Env, type Episode, type Rng, type Task } from "limbeck";
import { drawWeighted } from "../../packages/base/src/base/rng.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { scoreValue } from "../../packages/base/src/trajectory/score.ts";
import { episodeOf, type Demonstrator } from "limbeck/env";
import { createDemonstratorAgent, createSearch, searchTasks } from "limbeck/search";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const CITIES = 10;
/** Distances at which a city is 2.7 times less likely to be the next one: of a policy that can be bettered, and of a good one. */
const REACHES = { "": 0.4, " good": 0.15 } as const;
/** Whole tours that an arm may score. */
const TOURS = 112;
const TASKS = 50;

const ARMS: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>> = {
  evolution: {
    fittest: { islands: 2, births: 2, generations: TOURS / 4 },
    "any parent": {
      islands: 2,
      births: 2,
      generations: TOURS / 4,
      temperature: 1_000_000,
      capacity: 4_096,
      novelty: 0,
    },
    "all anew": { islands: 1, births: TOURS, generations: 1 },
  },
  "simple-tes": {
    chains: { chains: 4, candidates: 4, depth: TOURS / 16 },
    "one chain": { chains: 1, candidates: 1, depth: TOURS },
    "all anew": { chains: 1, candidates: TOURS, depth: 1 },
  },
};

const ROWS = Object.keys(REACHES).flatMap((policy) => Object.keys(ARMS).map((method) => method + policy));

type City = readonly [x: number, y: number];

const away = ([x, y]: City, [left, top]: City): number => Math.hypot(x - left, y - top);

function citiesOf({ seed }: Task): City[] {
  const rng = createRng(`cities ${seed}`);
  return Array.from({ length: CITIES }, () => [rng.float(), rng.float()] as const);
}

const lengthOf = (cities: readonly City[], tour: readonly number[]): number =>
  tour.reduce((sum, at, place) => sum + away(cities[at] as City, cities[tour[(place + 1) % tour.length] as number] as City), 0); // prettier-ignore

/** Length of the shortest tour, by dynamic programming over the cities that were visited and the last of them. */
function shortest(cities: readonly City[]): number {
  const between = (one: number, other: number): number => away(cities[one] as City, cities[other] as City);
  let ways = new Map<string, number>([["1 0", 0]]);
  for (let visited = 1; visited < cities.length; visited += 1) {
    const next = new Map<string, number>();
    for (const [key, length] of ways) {
      const [set = 0, last = 0] = key.split(" ").map(Number);
      for (let city = 1; city < cities.length; city += 1) {
        if ((set & (1 << city)) !== 0) continue;
        const name = `${set | (1 << city)} ${city}`;
        next.set(name, Math.min(next.get(name) ?? Number.POSITIVE_INFINITY, length + between(last, city)));
      }
    }
    ways = next;
  }
  return Math.min(...[...ways].map(([key, length]) => length + between(Number(key.split(" ")[1]), 0)));
}

function open(task: Task): Episode {
  const cities = citiesOf(task);
  const best = shortest(cities);
  const left = (tour: readonly number[]): string[] =>
    cities.flatMap((_, at) => (tour.includes(at) ? [] : [String(at)]));
  const isWhole = (tour: readonly number[]): boolean => tour.length === CITIES;
  const worth = (tour: readonly number[]): number => (isWhole(tour) ? best / lengthOf(cities, tour) : 0);
  return episodeOf<readonly number[]>(task, [0], {
    observation: (tour) => tour.join(" "),
    stateKey: (tour) => tour.join(" "),
    ending: (tour) => (isWhole(tour) ? "terminated" : undefined),
    reward: (tour) => scored(worth(tour)),
    success: (tour) => (isWhole(tour) ? worth(tour) > 1 - 1e-9 : null),
    admissible: left,
    step: (tour, action) => {
      const valid = left(tour).includes(action);
      const state = valid ? [...tour, Number(action)] : tour;
      return { state, valid, reward: scored(worth(state)) };
    },
  });
}

const env: Env = {
  id: "tour",
  summary: "Visit every city by a short way.",
  maxSteps: CITIES,
  splits: {},
  tasks: () => [],
  open: (task) => Promise.resolve(open(task)),
};

/** Near cities are likelier. */
const walker = (reach: number): Demonstrator => ({
  id: "walker",
  summary: "Goes on to a city, mostly a near one.",
  start: (task, rng: Rng) => {
    const cities = citiesOf(task);
    return {
      next: ({ observation, admissible = [] }) => {
        const here = cities[Number(observation.split(" ").at(-1))] as City;
        const weights = admissible.map((at) => [at, Math.exp(-away(here, cities[Number(at)] as City) / reach)] as const); // prettier-ignore
        return drawWeighted(weights, rng) as string;
      },
    };
  },
});

type Result = Readonly<Record<string, { readonly worth: number; readonly best: number; readonly tours: number }>>;

async function run({ arm, seed, quick }: OneRun): Promise<Result> {
  const [method = "", policy] = arm.split(" ");
  const reach = REACHES[policy === undefined ? "" : " good"];
  const tasks = Array.from({ length: quick ? 2 : TASKS }, (_, at): Task => {
    const number = seed * TASKS + at;
    return { id: `tour/${number}`, env: "tour", seed: number, goal: "Visit every city.", split: "test" };
  });
  const found: [string, Result[string]][] = [];
  for (const [name, options] of Object.entries(ARMS[method] as (typeof ARMS)[string])) {
    let tours = 0;
    const outcomes = await searchTasks({
      plan: { search: () => createSearch(method, options) },
      env,
      agent: createDemonstratorAgent(walker(reach)),
      tasks,
      seed,
      sink: { append: async () => await Promise.resolve(void (tours += 1)) },
    });
    const worth = outcomes.map(({ episode }) => scoreValue(episode.reward) ?? 0);
    found.push([name, { worth: mean(worth), best: mean(worth.map((one) => Number(one > 1 - 1e-9))), tours: tours / tasks.length }]); // prettier-ignore
  }
  return Object.fromEntries(found);
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  for (const row of ROWS) {
    const arms = ARMS[row.split(" ")[0] as string] as (typeof ARMS)[string];
    const own = results.filter(({ arm }) => arm === row).map(({ result }) => result);
    if (own.length === 0) continue;
    const [on = "", ...others] = Object.keys(arms);
    print(`## ${row}`);
    print();
    print(`| measure | ${[on, ...others].join(" | ")} | ${others.map((off) => `${on} less ${off}`).join(" | ")} |`);
    print(`| --- |${" ---: |".repeat(1 + 2 * others.length)}`);
    for (const measure of ["worth", "best", "tours"] as const) {
      const values = (arm: string): number[] => own.map((one) => one[arm]?.[measure] ?? 0);
      const off = others.map((arm) => differenceWords(values(on).map((one, at) => one - (values(arm)[at] as number))));
      print(`| ${measure} | ${[on, ...others].map((arm) => mean(values(arm)).toFixed(3)).join(" | ")} | ${off.join(" | ")} |`); // prettier-ignore
    }
    print();
  }
}

await runStudy<Result>({ name: "toy-optimisation", arms: ROWS, run, report });
