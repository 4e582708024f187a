/** Success of an agent that searches before it acts: the lines its searches choose are its episodes. */
import { checkOptions } from "limbeck-base/base/options";
import { sum } from "limbeck-base/base/statistics/summary";
import { withoutUndefined } from "limbeck-base/base/fields";
import { searchTasks, type SearchOutcome, type SearchPlan } from "../walk/tree/search-tasks.ts";
import { spendingKinds, type Spending, type SpendingKind } from "../walk/purse.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { EVALUATE_AGENT_CHECKS, summarise, type Evaluated, type EvaluateAgentOptions } from "./evaluate.ts";

export interface EvaluateSearchOptions extends EvaluateAgentOptions {
  readonly search: SearchPlan;
}

export interface EvaluatedSearch extends Evaluated {
  readonly searches: readonly SearchOutcome[];
}

/** One search for each task, or `samples` of them with other seeds. */
export async function evaluateSearch(options: EvaluateSearchOptions): Promise<EvaluatedSearch> {
  checkOptions("evaluateSearch", options, EVALUATE_AGENT_CHECKS);
  const { env, agent, tasks, seed, search, samples = 1, prefix = "", maxSteps, signal, sink, onProgress } = options;
  const { budget = {}, now = () => performance.now() } = options;
  const end = now() + (budget.seconds ?? Infinity) * 1_000;
  const outcomes: SearchOutcome[] = [];
  const episodes: Trajectory[] = [];
  let done = 0;
  for (let sample = 0; sample < samples; sample += 1) {
    const found = await searchTasks({
      plan: search,
      env,
      agent,
      tasks,
      seed: `${seed} evaluation ${sample}`,
      prefix,
      seconds: Math.max(0, end - now()) / 1_000,
      now,
      together: Math.max(1, Math.min(8, options.concurrency ?? 8)),
      ...withoutUndefined({ steps: maxSteps, signal }),
      onOutcome: () => onProgress?.((done += 1), tasks.length * samples),
    });
    for (const outcome of found) {
      const episode = { ...outcome.episode, id: `${outcome.episode.group}/${sample}` };
      await sink?.append(episode);
      episodes.push(episode);
      outcomes.push(outcome);
    }
  }
  return { evaluation: summarise(episodes), trajectories: episodes, spent: spentBy(outcomes), searches: outcomes };
}

function spentBy(outcomes: readonly SearchOutcome[]): Spending {
  const total = (kind: SpendingKind): number => sum(outcomes.map(({ spent }) => spent[kind]));
  return Object.fromEntries(spendingKinds.map((kind) => [kind, total(kind)])) as Spending;
}
