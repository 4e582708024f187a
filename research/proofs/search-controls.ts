/**
 * Searches with and without their mechanism, at an equal number of model calls, by bundled models. Nothing is trained and no
 * text model is asked. An arm of this study is a row of the catalogue; its own arms see the same tasks and the same first draws.
 *
 *     npx tsx research/proofs/search-controls.ts --jobs 2 --seeds 531,532,533,534,535
 */
import { search } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { scoreValue } from "../../packages/base/src/trajectory/score.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

interface Arm {
  readonly search: string;
  readonly searchOptions: Readonly<Record<string, number | string | boolean>>;
}

interface Control {
  readonly place: { readonly env: string; readonly envOptions?: Readonly<Record<string, string>> };
  readonly tasks: number;
  /** Tasks of a split between the first of one seed and the first of the next. */
  readonly apart: number;
  readonly temperature: number;
  /** Model calls of a task; null where each arm plays so many whole episodes. */
  readonly calls: number | null;
  /** The first is the mechanism; each other is compared with it. */
  readonly arms: Readonly<Record<string, Arm>>;
}

/** Larger than any budget allows, so that the budget is what ends it. */
const MANY = 4_096;
const HOUSEHOLD = { env: "household" } as const;
const DRAFT = { env: "draft", envOptions: { level: "small" } } as const;

const CONTROLS: Readonly<Record<string, Control>> = {
  sage: {
    place: HOUSEHOLD,
    tasks: 60,
    apart: 200,
    temperature: 0.4,
    calls: null,
    arms: {
      plan: { search: "self-abstraction", searchOptions: { plan: "own" } },
      blind: { search: "self-abstraction", searchOptions: { plan: "none" } },
    },
  },
  "i-mcts": {
    place: HOUSEHOLD,
    tasks: 25,
    apart: 50,
    temperature: 0.7,
    calls: 88,
    arms: {
      looks: { search: "i-mcts", searchOptions: { iterations: MANY } },
      "looks at nothing": { search: "i-mcts", searchOptions: { iterations: MANY, introspect: false } },
    },
  },
  pdr: {
    place: HOUSEHOLD,
    tasks: 25,
    apart: 50,
    temperature: 0.7,
    calls: 132,
    arms: {
      rounds: { search: "pdr", searchOptions: { width: 4, rounds: MANY } },
      "rounds, told": { search: "pdr", searchOptions: { width: 4, rounds: MANY, advise: true } },
      "all at once": { search: "pdr", searchOptions: { width: MANY, rounds: 1 } },
    },
  },
  "simple-tes": {
    place: DRAFT,
    tasks: 60,
    apart: 60,
    temperature: 1,
    calls: 88,
    arms: {
      chains: { search: "simple-tes", searchOptions: { chains: 4, candidates: 2, depth: MANY } },
      "one chain": { search: "simple-tes", searchOptions: { chains: 1, candidates: 1, depth: MANY } },
      "all anew": { search: "simple-tes", searchOptions: { chains: 1, candidates: MANY, depth: 1 } },
    },
  },
  "fm-agent": {
    place: DRAFT,
    tasks: 60,
    apart: 60,
    temperature: 1,
    calls: 88,
    arms: {
      fittest: { search: "evolution", searchOptions: { generations: MANY } },
      "any parent": {
        search: "evolution",
        searchOptions: { generations: MANY, temperature: 1_000_000, capacity: MANY, novelty: 0 },
      },
      "all anew": { search: "evolution", searchOptions: { generations: 1, births: MANY } },
    },
  },
  spark: {
    place: HOUSEHOLD,
    tasks: 25,
    apart: 50,
    temperature: 0.7,
    calls: 88,
    arms: {
      monitor: { search: "spark", searchOptions: { rounds: MANY } },
      "no monitor": { search: "spark", searchOptions: { rounds: MANY, monitor: false } },
    },
  },
};

interface Figures {
  readonly solved: readonly number[];
  readonly reward: readonly number[];
  readonly steps: readonly number[];
  readonly calls: readonly number[];
  /** Whether the first attempt had solved it already. */
  readonly first: readonly number[];
}
type Result = Readonly<Record<string, Figures>>;

async function run({ arm, seed, quick, split }: OneRun): Promise<Result> {
  const control = CONTROLS[arm] as Control;
  const found: [string, Figures][] = [];
  for (const [name, own] of Object.entries(control.arms)) found.push([name, await figures(control, own)]);
  return Object.fromEntries(found);

  async function figures({ place, tasks, apart, temperature, calls }: Control, own: Arm): Promise<Figures> {
    const first = new Map<string, number>();
    const { outcomes } = await search({
      ...place,
      ...own,
      split,
      offset: seed * apart,
      tasks: quick ? 1 : tasks,
      temperature,
      answerTokens: 24,
      seed,
      threads: 1,
      together: 16,
      ...(quick ? { maxSteps: 3 } : {}),
      ...(calls === null ? {} : { budget: { modelCalls: quick ? 6 : calls } }),
      sink: {
        // What was not chosen; of self-abstraction that is the first attempt.
        append: async ({ task, info, success }) => {
          const { chosen } = (info?.["search"] ?? {}) as { readonly chosen?: boolean };
          if (chosen !== true) first.set(task.id, Number(success === true));
          await Promise.resolve();
        },
      },
    });
    return {
      solved: outcomes.map(({ episode }) => Number(episode.success === true)),
      reward: outcomes.map(({ episode }) => scoreValue(episode.reward) ?? 0),
      steps: outcomes.map(({ episode }) => episode.steps.length),
      calls: outcomes.map(({ spent }) => spent.modelCalls),
      first: outcomes.map(({ task }) => first.get(task.id) ?? 0),
    };
  }
}

/** What a seed says of an arm; undefined where nothing was to be counted. */
const MEASURES: Readonly<Record<string, (own: Figures) => number>> = {
  solved: ({ solved }) => mean(solved),
  reward: ({ reward }) => mean(reward),
  calls: ({ calls }) => mean(calls),
};

/** Of self-abstraction: the second attempt alone, where the first had failed and where it had not. */
const SECOND: typeof MEASURES = {
  "first attempt": ({ first }) => mean(first),
  "second attempt": ({ solved }) => mean(solved),
  "second after a failure": ({ first, solved }) => mean(solved.filter((_, at) => first[at] === 0)),
  "second after a success": ({ first, solved }) => mean(solved.filter((_, at) => first[at] === 1)),
  "steps after a failure": ({ first, steps }) => mean(steps.filter((_, at) => first[at] === 0)),
};

/** A seed that was played with more tasks counts with as many as the others. */
const firstOf = (own: Figures, tasks: number): Figures =>
  Object.fromEntries(Object.entries(own).map(([name, values]) => [name, (values as readonly number[]).slice(0, tasks)])) as unknown as Figures; // prettier-ignore

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  for (const [row, { arms, calls, tasks }] of Object.entries(CONTROLS)) {
    const own = results.filter(({ arm }) => arm === row).map(({ result }) => result);
    if (own.length === 0) continue;
    const [on = "", ...others] = Object.keys(arms);
    print(`## ${row}`);
    print();
    print(`| measure | ${[on, ...others].join(" | ")} | ${others.map((off) => `${on} less ${off}`).join(" | ")} |`);
    print(`| --- |${" ---: |".repeat(1 + 2 * others.length)}`);
    for (const [name, measure] of Object.entries(calls === null ? SECOND : MEASURES)) {
      const values = (arm: string): number[] => own.map((one) => measure(firstOf(one[arm] as Figures, tasks)));
      const off = others.map((arm) => differenceWords(values(on).map((one, at) => one - (values(arm)[at] as number))));
      print(`| ${name} | ${[on, ...others].map((arm) => mean(values(arm)).toFixed(3)).join(" | ")} | ${off.join(" | ")} |`); // prettier-ignore
    }
    print();
  }
}

await runStudy<Result>({ name: "search-controls", arms: Object.keys(CONTROLS), run, report });
