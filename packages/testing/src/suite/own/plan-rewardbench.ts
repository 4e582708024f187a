/**
 * Pairs of runs in the shop, as in Plan-RewardBench: who is asked says which of the two serves the errand. One is an expert's,
 * the other breaks it by a rule; a pair stands here only where the shop itself pays the first one more.
 */
import type { Env } from "limbeck-core/env/env";
import type { Demonstrator } from "limbeck-core/env/expert";
import type { Rng } from "limbeck-base/base/rng";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { SuiteInput } from "../suite.ts";
import { follow, once, openStage, type Seen } from "./played.ts";
import type { MadeSuite } from "./made-suite.ts";

const WORLD = { id: "shop", options: { products: 60 }, split: "test" } as const;
const ERRANDS = 12;
/** A run of more steps is long. */
const SHORT = 6;
const BUY = "click[buy now]";
const ASIN = /^click\[b0[0-9a-z]{8}\]$/;
/** Clicks that are no choice of a variant. */
const PAGES = /^(?:search\[|click\[(?:buy now|back to search|< prev|next >|description|features|reviews|attributes)\])/;

interface Runs {
  readonly better: readonly string[];
  readonly worse: readonly string[];
}
type Rule = (actions: readonly string[], env: Env, task: Task) => Promise<Runs | undefined> | Runs | undefined;

const isChoice = (action: string): boolean => !PAGES.test(action) && !ASIN.test(action);

/** By kind of work: what goes wrong in the worse run. */
export const FAMILIES: Readonly<Record<string, Rule>> = {
  /** A step of the plan is left out: variants are not chosen. */
  planning: (better) => (better.some(isChoice) ? { better, worse: better.filter((one) => !isChoice(one)) } : undefined),
  /** Another variant is chosen in the end. */
  choice: async (better, env, task) => {
    const at = better.findLastIndex(isChoice);
    if (at < 0) return undefined;
    const { admissible = [] } = await follow(env, task, better.slice(0, at));
    const other = admissible.filter((one) => isChoice(one) && !better.includes(one)).at(-1);
    return other === undefined ? undefined : { better, worse: better.with(at, other) };
  },
  /** Both open another product first; one goes back, the other buys it. */
  recovery: async (actions, env, task) => {
    const at = actions.findIndex((one) => ASIN.test(one));
    const { admissible = [] } = await follow(env, task, actions.slice(0, at));
    const other = admissible.find((one) => ASIN.test(one) && !actions.includes(one));
    if (other === undefined) return undefined;
    const opened = [...actions.slice(0, at), other];
    return { better: [...opened, "click[< prev]", ...actions.slice(at)], worse: [...opened, BUY] };
  },
  /** It says that there is no such thing: goes back and buys nothing. */
  refusal: (better) => ({ better, worse: [...better.slice(0, -1), "click[back to search]"] }),
};

const stage = once(async () => await openStage(WORLD.id, WORLD.options, WORLD.split, ERRANDS));

export async function makePairs(): Promise<SuiteInput> {
  const { env, play } = await stage();
  const tasks: SuiteInput["tasks"] = [];
  for (const [at, expert] of (await play("expert")).entries()) {
    for (const [family, rule] of Object.entries(FAMILIES)) {
      // By turns, so that neither place is the better one.
      const pair = await pairOf({ env, expert, at, family, rule, isFirst: tasks.length % 2 === 0 });
      if (pair !== undefined) tasks.push(pair);
    }
  }
  return { suite: "plan-rewardbench", version: "1", meaning: planRewardBench.meaning, grader: "text", tasks };
}

interface Given {
  readonly env: Env;
  readonly expert: Trajectory;
  readonly at: number;
  readonly family: string;
  readonly rule: Rule;
  readonly isFirst: boolean;
}

async function pairOf({ env, expert: { task, steps }, at, family, rule, isFirst }: Given) {
  const runs = await rule(
    steps.map(({ action }) => action),
    env,
    task,
  );
  if (runs === undefined) return undefined;
  const [better, worse] = [await follow(env, task, runs.better), await follow(env, task, runs.worse)];
  const areValid = [...better.seen, ...worse.seen].every(({ valid }) => valid);
  if (!areValid || better.reward !== 1 || worse.reward >= 1) return undefined;
  const [a, b] = isFirst ? [better, worse] : [worse, better];
  const answer = isFirst ? "A" : "B";
  const place = `World: ${WORLD.id} ${JSON.stringify(WORLD.options)}, split ${WORLD.split}, task ${at}`;
  return {
    id: `${family}/${at}`,
    prompt: `Which of two runs serves the errand better? Answer A or B.\n${place}\nErrand: ${task.goal}\n\n${runText("A", a.seen)}\n\n${runText("B", b.seen)}`,
    answer,
    solution: answer,
    template: family,
    buckets: [better.seen.length > SHORT ? "long" : "short"],
  };
}

/** A line for each step; pages in quotes, so that nothing of them reads as a step. */
function runText(name: string, seen: readonly Seen[]): string {
  const lines = seen.map(({ saw, did }, at) => `${at + 1}. saw ${JSON.stringify(saw)} did ${JSON.stringify(did)}`);
  return [`Run ${name}:`, ...lines].join("\n");
}

interface Shown {
  readonly saw: string;
  readonly did: string;
}

/** The two runs of a question. */
function runsIn(question: string): readonly (readonly Shown[])[] {
  const [, ...runs] = question.split(/^Run [AB]:$/m);
  return runs.map((run) =>
    [...run.matchAll(/^\d+\. saw (".*") did (".*")$/gm)].map(([, saw = '""', did = '""']) => ({
      saw: JSON.parse(saw) as string,
      did: JSON.parse(did) as string,
    })),
  );
}

const better = ([a = 0, b = 0]: readonly number[], rng: Rng): string =>
  (a === b ? rng.float() < 0.5 : a > b) ? "A" : "B";

/** Plays both again in the world that the question names. */
const replay: Demonstrator = {
  id: "replay",
  summary: "Plays both runs again and takes the one that earns more.",
  start: () => ({ next: () => "" }),
  advise: async ({ goal }, _past, rng) => {
    const { env, tasks } = await stage();
    const task = tasks[Number(/^World: .*, task (\d+)$/m.exec(goal)?.[1])] as Task;
    const ends = runsIn(goal).map(
      async (run) =>
        await follow(
          env,
          task,
          run.map(({ did }) => did),
        ),
    );
    return better(
      (await Promise.all(ends)).map(({ reward }) => reward),
      rng,
    );
  },
};

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[a-z]{3,}/g) ?? [];

/** Looks at the last step alone: a purchase counts, by how much of the errand its page speaks of. */
const lastPage: Demonstrator = {
  id: "last-page",
  summary: "Takes the run whose last page speaks of more of the errand; it guesses where both end alike.",
  start: ({ goal }, rng) => ({
    next: () => {
      const errand = wordsIn(/^Errand: (.*)$/m.exec(goal)?.[1] ?? "");
      const worth = runsIn(goal).map((run) => {
        const { saw = "", did } = run.at(-1) ?? {};
        const page = new Set(wordsIn(saw));
        return did === BUY ? 1 + errand.filter((word) => page.has(word)).length : 0;
      });
      return better(worth, rng);
    },
  }),
};

const chance: Demonstrator = {
  id: "chance",
  summary: "Reads nothing and guesses.",
  start: (_task, rng) => ({ next: () => better([], rng) }),
};

export const planRewardBench: MadeSuite = {
  meaning: "Which of two runs in the shop serves the errand: pairs by rule, of four kinds of work.",
  scripts: { replay, "last-page": lastPage, chance },
  make: makePairs,
};
