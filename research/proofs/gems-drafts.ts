/**
 * GEMS with the bundled model of emit, which was not made to obey: drafts that are given what is known of all
 * drafts before them, of the last one alone, of another task's drafts (a placebo: as many words, none of them about this task), or nothing. As many drafts at most in all arms, five, and all
 * stop at the first that passes the whole list.
 *
 *     npx tsx research/proofs/gems-drafts.ts --jobs 2
 */
import { createChatDialect, createRng, openEnv, openModel } from "limbeck";
import { bundledModel, requireTokenizer } from "limbeck/local";
import { createSearch, runSearch, type Search, type SearchScope } from "limbeck/search";
import { getRecipe, resolveSettings } from "limbeck/update";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import { agentFor } from "../../packages/core/src/update/agent.ts";
import { nodesBelow } from "../../packages/core/src/walk/tree/node.ts";
import { bundledStart, type BundledModelName } from "../../packages/policy/src/policy/starts.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const ENV = "emit" as const satisfies BundledModelName;
const WAYS = ["memory", "last", "placebo", "nothing"] as const;
const [TASKS, ROUNDS] = [60, 5] as const;

interface Figures {
  readonly success: number;
  /** Success by the draft of each round, of all tasks. */
  readonly rounds: readonly number[];
  /** Share of passed items of the chosen draft. */
  readonly passed: number;
  readonly drafts: number;
}

type Result = Readonly<Record<(typeof WAYS)[number], Figures>>;

/** The same search, in which drafts are given something else. */
function telling(search: Search, change: (guidance: string) => string | undefined): Search {
  const changed = (scope: SearchScope): SearchScope => ({
    ...scope,
    walkOn: (from, { guidance, ...options } = {}) => {
      const other = guidance === undefined ? undefined : change(guidance);
      return scope.walkOn(from, other === undefined ? options : { ...options, guidance: other });
    },
    each: (items, work, options) => scope.each(items, (own, item, at) => work(changed(own), item, at), options),
  });
  return { ...search, run: (scope) => search.run(changed(scope)) };
}

interface Checklist {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

async function run({ seed, quick }: OneRun): Promise<Result> {
  const { worldOptions = {}, answerTokens = 24 } = bundledStart(ENV) ?? {};
  const env = await openEnv(ENV, worldOptions);
  const model = await openModel(bundledModel(ENV), { threads: 1 });
  const dialect = await createChatDialect(requireTokenizer(model));
  const settings = resolveSettings({
    name: "grpo",
    recipe: getRecipe("grpo"),
    credit: "grpo",
    given: { answerTokens },
  });
  const agent = agentFor({ model, dialect, settings }, { temperature: 1 });
  const tasks: Task[] = [];
  for await (const task of env.tasks("test", { offset: seed * TASKS, count: quick ? 2 : TASKS })) tasks.push(task);
  // What the arm with memory gave at each round of a task.
  const given: string[][] = [];
  const play = async (way: (typeof WAYS)[number]): Promise<Figures> => {
    const lists: Checklist[][] = [];
    for (const [at, task] of tasks.entries()) {
      const gems = createSearch("gems", { rounds: ROUNDS, memory: way !== "last" });
      const own: string[] = [];
      const others = given[(at + tasks.length - 1) % tasks.length] ?? [];
      const search = telling(gems, (guidance) => {
        own.push(guidance);
        if (way === "nothing") return undefined;
        return way === "placebo" ? (others[own.length - 1] ?? others.at(-1) ?? given.flat()[0]) : guidance;
      });
      const { root } = await runSearch({
        env,
        agent,
        task,
        search,
        seed: createRng(`${seed} ${task.id}`).int(2 ** 31),
      });
      if (way === "memory") given.push(own);
      lists.push(
        nodesBelow(root).flatMap(({ info }) => (info?.["checklist"] as unknown as Checklist | undefined) ?? []),
      );
    }
    const share = ({ passed, failed }: Checklist): number => passed.length / (passed.length + failed.length);
    const best = lists.map((drafts) => Math.max(0, ...drafts.map(share)));
    return {
      success: mean(best.map((one) => Number(one === 1))),
      rounds: Array.from({ length: ROUNDS }, (_, round) =>
        mean(lists.map((drafts) => Number(drafts.slice(0, round + 1).some((one) => share(one) === 1)))),
      ),
      passed: mean(best),
      drafts: mean(lists.map((drafts) => drafts.length)),
    };
  };
  try {
    const [memory, last] = [await play("memory"), await play("last")];
    return { memory, last, placebo: await play("placebo"), nothing: await play("nothing") };
  } finally {
    await model.close();
  }
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  print("| what a new draft is given | whole list passed | share of items | whole list by round | memory less this |");
  print("| --- | ---: | ---: | --- | ---: |");
  const own = results.map(({ result }) => result);
  for (const way of WAYS) {
    const cell = (of: (one: Figures) => number): string => mean(own.map((one) => of(one[way]))).toFixed(3);
    const rounds = Array.from({ length: ROUNDS }, (_, round) => cell(({ rounds: by }) => by[round] as number));
    const less = way === "memory" ? "" : differenceWords(own.map((one) => one.memory.success - one[way].success));
    print(`| ${way} | ${cell((one) => one.success)} | ${cell((one) => one.passed)} | ${rounds.join(", ")} | ${less} |`);
  }
}

await runStudy<Result>({ name: "gems-drafts", arms: [ENV], run, report });
