/** Tasks are searched, and every branch goes into a run. */
import { sum } from "limbeck-base/base/statistics/summary";
import { scoreValue } from "limbeck-base/trajectory/score";
import { successOf, tally, type EpisodeTally, episodesLost, isEnough } from "limbeck-base/trajectory/tally";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { SearchOutcome } from "limbeck-core/walk/tree/search-tasks";
import type { Spending } from "limbeck-core/walk/purse";
import type { OpenedAgent } from "./agent.ts";
import { DEFAULTS } from "./defaults.ts";
import { firstDemonstrator, givenAgent, givenTasks, givenWorld, placeOf, type GivenWorld } from "./given-parts.ts";
import { givenSearch, givenStrategySearch } from "./given-search.ts";
import type { SearchContext, SearchRunInput, SearchTotals } from "./search-run.inputs.ts";
import type { OpenedSearch } from "./search-plan.ts";
import { search as searchTasks } from "./search.ts";
import { withRun } from "limbeck-store/store/with-run";

interface Plan extends GivenWorld {
  readonly tasks: readonly Task[];
  readonly chosen: OpenedAgent;
  readonly search: OpenedSearch;
}

export async function searchIntoRun(input: SearchRunInput, context: SearchContext): Promise<void> {
  const plan = await planned(input, context);
  const { search, chosen, tasks } = plan;
  const { seed, together, maxSteps } = input;
  const place = placeOf(plan, tasks);
  context.show.place(place, tasks.length);
  const config = { ...place, seed, search: search.config, policy: { ...chosen.agent.ref } } as JsonObject;
  const outcomes: SearchOutcome[] = [];
  let trajectories = 0;
  const label = `Searching ${tasks.length.toLocaleString("en-GB")} ${tasks.length === 1 ? "task" : "tasks"}`;
  const bar = context.progress({ label, total: tasks.length });
  const counts = (): EpisodeTally => tally(outcomes.map(({ episode }) => episode));
  try {
    await withRun(context, {
      place: { root: context.store, id: input.run },
      begin: { kind: "search", config },
      collect: async (writer) => {
        const { signal } = context;
        try {
          await searchTasks({
            ...search.plan,
            env: plan.env,
            policy: chosen.agent,
            tasks,
            seed,
            together,
            maxSteps,
            signal,
            sink: {
              append: async (trajectory) => {
                await writer.append(trajectory);
                trajectories += 1;
              },
            },
            onOutcome: async (outcome) => {
              outcomes.push(outcome);
              await writer.addEvent("search", eventOf(outcome));
              context.emit(eventOf(outcome));
              bar.update(outcomes.length, `${counts().solved.toLocaleString("en-GB")} solved`);
            },
          });
        } finally {
          bar.end();
        }
      },
      stored: () => trajectories,
      judge: () => {
        const found = counts();
        if (found.lost === 0 || isEnough(found)) return undefined;
        return episodesLost("The search has too few results", found, "Mend the cause and search again.");
      },
      say: (end) => {
        const totals = totalsOf(outcomes, trajectories, search.written);
        const { run, durationMs } = end;
        context.emit({ event: "end", run, ...place, ...totals, complete: end.fault === undefined, durationMs });
        context.show.end(totals, end);
      },
    });
  } finally {
    await search.close();
    await chosen.close();
  }
}

async function planned(input: SearchRunInput, context: SearchContext): Promise<Plan> {
  const given = await givenWorld("search", input, context);
  const tasks = await givenTasks(given.env, "search", { ...input, signal: context.signal });
  const policy = input.policy ?? input.model;
  const asked = { ...input, policy };
  const search =
    input.strategy === undefined
      ? await givenSearch(input.search ?? DEFAULTS.search, asked, context)
      : await givenStrategySearch(input.strategy, firstDemonstrator(given.world), asked, context);
  try {
    const place = { command: "search", world: given.world, env: given.id };
    return { ...given, tasks, search, chosen: await givenAgent(policy, input, place, context) };
  } catch (error) {
    await search.close();
    throw error;
  }
}

function eventOf({ task, episode, nodes, spent, irreversible, harm, failures }: SearchOutcome) {
  return {
    event: "search" as const,
    task: task.id,
    success: episode.success,
    reward: scoreValue(episode.reward) ?? null,
    actions: episode.steps.map(({ action }) => action),
    nodes,
    irreversible,
    harm,
    spent,
    failures: failures.map(({ code, message }) => ({ code, message })),
  };
}

const KINDS = ["modelCalls", "tokens", "sampledTokens", "envSteps", "usd", "seconds"] as const;

function totalsOf(
  outcomes: readonly SearchOutcome[],
  trajectories: number,
  { "writer/model": model = 0, "writer/template": template = 0, "writer/nobody": nobody = 0 }: OpenedSearch["written"],
): SearchTotals {
  const counts = tally(outcomes.map(({ episode }) => episode));
  const total = (value: (outcome: SearchOutcome) => number): number => sum(outcomes.map(value));
  const { success, low, high } = successOf(counts);
  return {
    tasks: outcomes.length,
    solved: counts.solved,
    failed: counts.lost,
    causes: counts.causes,
    success: success === null ? null : { mean: success, low, high },
    nodes: total(({ nodes }) => nodes),
    trajectories,
    irreversible: total(({ irreversible }) => irreversible),
    harm: total(({ harm }) => harm),
    spent: Object.fromEntries(KINDS.map((kind) => [kind, total(({ spent }) => spent[kind])])) as unknown as Spending,
    ...(model + template + nobody === 0 ? {} : { written: { model, template, nobody } }),
  };
}
