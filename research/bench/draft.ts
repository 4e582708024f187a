/**
 * Guessed tokens: rollouts without guesses over the same rollouts with `--draft auto`, by turns in one run.
 *
 * A round is the same tasks with the same seed, once each way; who goes first changes from round to round. Both ways make programs for
 * shapes that are new. A round in which one was made counts for the sums from the first episode on, and not for the figure: that is the median of
 * the rounds in which none was.
 */
import { bundledModel } from "../../packages/policy/src/policy/local/bundled-model.ts";
import { type BundledModelName } from "../../packages/policy/src/policy/starts.ts";
import { openModel } from "../../packages/policy/src/policy/local/open-model.ts";
import type { LocalModel } from "../../packages/policy/src/policy/local/local-model.ts";
import type { Draft } from "../../packages/policy/src/policy/local/draft/kinds.ts";
import { rollout, type RolloutOptions } from "../../packages/limbeck/src/run/rollout.ts";
import { median, sum } from "../../packages/base/src/base/statistics/summary.ts";
import { seconds, type Bench } from "./harness.ts";
import { THREADS } from "./policy-models.ts";

/** How a world is played. */
interface Play {
  readonly env: BundledModelName;
  readonly name: string;
  readonly what: string;
  readonly options: Pick<RolloutOptions, "tasks" | "group" | "temperature" | "concurrency" | "maxSteps">;
  /** Of the plain way's time, what is to be reached at least. */
  readonly goal: number;
}

const WAYS = ["off", "auto"] as const satisfies readonly Draft[];
type Way = (typeof WAYS)[number];

/** One way through a round. */
interface Turn {
  /** Seconds by the clock and of the processors, and those in which programs were made. */
  readonly wall: number;
  readonly processor: number;
  readonly making: number;
  readonly programs: number;
  readonly episodes: number;
}

type Round = Readonly<Record<Way, Turn>>;

const group = { tasks: 2, group: 4, maxSteps: 8 };
const alone = { tasks: 2, group: 1, temperature: 0, concurrency: 1, maxSteps: 8 };

const PLAYS: readonly Play[] = (["household", "tools", "research"] as const).flatMap((env): Play[] => [
  { env, name: "group", what: "2 tasks by 4 siblings at temperature 1", options: group, goal: 0.97 },
  {
    env,
    name: "eval",
    what: "2 tasks one after the other at temperature 0",
    options: alone,
    goal: env === "tools" ? 1.3 : 0.97,
  },
]);

/** Rounds that are played in search of one without a new program. */
const TRIES = 12;

function drafted({ env, name, what, options, goal }: Play): Bench {
  return {
    name: `draft/${env}-${name}`,
    summary: `Seconds without guesses over seconds with --draft auto, once programs are made: ${env}, ${what}, its bundled model, ${THREADS} threads.`,
    unit: "times as fast",
    goal: { at: "least", value: goal },
    repetitions: 9,
    warmUps: 0,
    until: { within: 0.05, seconds: Number(process.env["LIMBECK_BENCH_SECONDS"] ?? 90) },
    setUp: async () => {
      const opened = await Promise.all(WAYS.map((draft) => openModel(bundledModel(env), { draft, threads: THREADS })));
      const models = Object.fromEntries(WAYS.map((way, at) => [way, opened[at]])) as Record<Way, LocalModel>;
      const rounds: Round[] = [];
      const turn = async (way: Way, seed: number): Promise<Turn> => {
        const { decoded } = models[way];
        const before = process.cpuUsage();
        let episodes = 0;
        const wall = await seconds(async () => {
          ({ episodes } = await rollout({ env, policy: models[way], seed, ...options }));
        });
        const { user, system } = process.cpuUsage(before);
        const [past, now] = [decoded.made, models[way].decoded.made];
        const programs = (now?.programs ?? 0) - (past?.programs ?? 0);
        const making = ((now?.milliseconds ?? 0) - (past?.milliseconds ?? 0)) / 1_000;
        return { wall, processor: (user + system) / 1e6, making, programs, episodes };
      };
      const round = async (): Promise<Round> => {
        const seed = rounds.length + 1;
        const turns: Partial<Record<Way, Turn>> = {};
        for (const way of seed % 2 === 0 ? WAYS : WAYS.toReversed()) turns[way] = await turn(way, seed);
        rounds.push(turns as Round);
        return turns as Round;
      };
      return {
        measure: async () => {
          let last = await round();
          for (let tries = 1; tries < TRIES && !isMade(last); tries += 1) last = await round();
          return last.off.wall / last.auto.wall;
        },
        notes: () => notesOf(rounds, models),
        close: async () => {
          await Promise.all(opened.map((model) => model.close()));
        },
      };
    },
  };
}

/** Whether nothing had to be made. */
function isMade({ off, auto }: Round): boolean {
  return off.programs + auto.programs === 0;
}

function notesOf(rounds: readonly Round[], models: Readonly<Record<Way, LocalModel>>): Record<string, number | string> {
  const short = (value: number, digits = 2): number => Number(value.toFixed(digits));
  const total = (way: Way, what: keyof Turn): number => sum(rounds.map((round) => round[way][what]));
  const made = rounds.filter(isMade);
  const paid = paidAfter(rounds);
  return {
    rounds: rounds.length,
    "times by processor": short(median(made.map(({ off, auto }) => off.processor / auto.processor))),
    "times of sums": short(sum(made.map(({ off }) => off.wall)) / sum(made.map(({ auto }) => auto.wall))),
    "times from the first episode on": short(total("off", "wall") / total("auto", "wall")),
    "paid after episodes": paid ?? "not",
    ...Object.fromEntries(
      WAYS.flatMap((way) => [
        [`${way} s/episode`, short(median(made.map((round) => round[way].wall / round[way].episodes)), 3)],
        [`${way} programs`, total(way, "programs")],
        [`${way} s making`, short(total(way, "making"))],
        [`${way} tokens/call`, short(models[way].decoded.tokens / models[way].decoded.rows)],
      ]),
    ),
  };
}

/** Episodes after which guesses, their programs included, were never behind again; undefined where they were to the end. */
function paidAfter(rounds: readonly Round[]): number | undefined {
  let [ahead, episodes]: [number, number] = [0, 0];
  let paid: number | undefined;
  for (const { off, auto } of rounds) {
    ahead += off.wall - auto.wall;
    episodes += auto.episodes;
    if (ahead < 0) paid = undefined;
    else paid ??= episodes;
  }
  return paid;
}

export const draftBenches: readonly Bench[] = PLAYS.map(drafted);
