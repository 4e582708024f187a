/** A search from the command line: choose, search, store every branch, say what came of it. */
import { sum } from "../../base/index.ts";
import { DEFAULTS, search as runSearches, type OpenedSearch } from "../../run/index.ts";
import type { SearchOutcome, Spending } from "../../walk/index.ts";
import type { RunWriter } from "../../store/store.ts";
import { scoreValue, successOf, tally, type JsonObject, type Task } from "../../trajectory/index.ts";
import { episodesLost, isEnough, lostWords } from "../../trajectory/tally.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import type { Progress } from "../look/progress.ts";
import { formatCount, formatDuration, formatRate, plural } from "../look/units.ts";
import { givenCount, maybeCount } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { chosenAgent, type ChosenAgent } from "../rollout/chosen-agent.ts";
import {
  givenTasks,
  givenWorld,
  placeOf,
  sayPlace,
  type FigurePlace,
  type GivenWorld,
} from "../rollout/given-world.ts";
import { withRun, type RunEnd } from "../with-run.ts";
import { chosenSearch, chosenStrategy } from "./chosen-search.ts";

const OPTIONS = { method: "method", set: "set", budget: "budget" } as const;

interface Plan extends GivenWorld {
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly chosen: ChosenAgent;
  readonly search: OpenedSearch;
}

export async function runSearchCommand(invocation: Invocation): Promise<number> {
  const plan = await planned(invocation);
  const { seed, search, chosen, tasks } = plan;
  const place = placeOf(plan, tasks);
  sayPlace(invocation, place, tasks.length);
  const config = { ...place, seed, search: search.config, policy: { ...chosen.agent.ref } } as JsonObject;
  const found: Found = { outcomes: [], trajectories: 0 };
  const bar = invocation.progress({ label: `Searching ${plural(tasks.length, "task")}`, total: tasks.length });
  try {
    return await withRun(invocation, {
      begin: { kind: "search", config },
      collect: async (writer) => {
        try {
          await searchInto(invocation, writer, plan, found, bar);
        } finally {
          bar.end();
        }
      },
      stored: () => found.trajectories,
      judge: () => {
        const counts = tally(found.outcomes.map(({ episode }) => episode));
        if (counts.lost === 0 || isEnough(counts)) return undefined;
        return episodesLost("The search has too few results", counts, "Mend the cause and search again.");
      },
      say: (end) => say(invocation, found, { ...end, place }, search.written),
    });
  } finally {
    await search.close();
    await chosen.close();
  }
}

async function planned(invocation: Invocation): Promise<Plan> {
  const [policy, model] = [invocation.text("policy"), invocation.text("model")];
  if (policy !== undefined && model !== undefined) throw usageError("--policy and --model both name who acts.");
  const given = await givenWorld(invocation, "search");
  const tasks = await givenTasks(invocation, given.env, "search");
  const seed = givenCount(invocation, "seed", DEFAULTS.seed, 0);
  const search = await givenSearch(invocation, given);
  try {
    const place = { command: "search", world: given.world, env: given.id, name: policy ?? model ?? "" };
    return { ...given, tasks, seed, search, chosen: await chosenAgent(invocation, place) };
  } catch (error) {
    await search.close();
    throw error;
  }
}

async function givenSearch(invocation: Invocation, { world }: GivenWorld): Promise<OpenedSearch> {
  const strategy = invocation.text("strategy");
  if (strategy !== undefined) {
    return await chosenStrategy(invocation, strategy, OPTIONS, Object.values(world.demonstrators ?? {})[0]);
  }
  const method = invocation.text("method") ?? DEFAULTS.search;
  const named: Invocation = {
    ...invocation,
    text: (option) => (option === "method" ? method : invocation.text(option)),
  };
  return (await chosenSearch(named, OPTIONS)) as OpenedSearch;
}

interface Found {
  readonly outcomes: SearchOutcome[];
  trajectories: number;
}

async function searchInto(
  invocation: Invocation,
  writer: RunWriter,
  { env, tasks, seed, chosen, search }: Plan,
  found: Found,
  bar: Progress,
): Promise<void> {
  await runSearches({
    ...search.plan,
    env,
    policy: chosen.agent,
    tasks,
    seed,
    together: maybeCount(invocation, "together"),
    maxSteps: maybeCount(invocation, "max-steps"),
    signal: invocation.io.signal,
    sink: {
      append: async (trajectory) => {
        await writer.append(trajectory);
        found.trajectories += 1;
      },
    },
    onOutcome: async (outcome) => {
      found.outcomes.push(outcome);
      await writer.addEvent("search", eventOf(outcome) as JsonObject);
      if (invocation.json) invocation.printJson(eventOf(outcome));
      const { solved } = tally(found.outcomes.map(({ episode }) => episode));
      bar.update(found.outcomes.length, `${formatCount(solved)} solved`);
    },
  });
}

function eventOf({ task, episode, nodes, spent, irreversible, harm, failures }: SearchOutcome): object {
  return {
    event: "search",
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

function say(
  invocation: Invocation,
  { outcomes, trajectories }: Found,
  { run, fault, durationMs, place }: RunEnd & { readonly place: FigurePlace },
  { "writer/model": model = 0, "writer/template": template = 0, "writer/nobody": nobody = 0 }: OpenedSearch["written"],
): void {
  const counts = tally(outcomes.map(({ episode }) => episode));
  const { solved, lost, causes } = counts;
  const total = (value: (outcome: SearchOutcome) => number): number => sum(outcomes.map(value));
  const spent = Object.fromEntries(KINDS.map((kind) => [kind, total((one) => one.spent[kind])])) as unknown as Spending;
  const [nodes, irreversible, harm] = [
    total((one) => one.nodes),
    total((one) => one.irreversible),
    total((one) => one.harm),
  ];
  const complete = fault === undefined;
  const wrote = model + template + nobody;
  const { success, low, high } = successOf(counts);
  const share = success === null ? undefined : { mean: success, low, high };
  if (invocation.json) {
    const told = {
      tasks: outcomes.length,
      solved,
      failed: lost,
      causes,
      success: share ?? null,
      nodes,
      trajectories,
      irreversible,
      harm,
      spent,
      ...(wrote === 0 ? {} : { written: { model, template, nobody } }),
    };
    invocation.printJson({ event: "end", run, ...place, ...told, complete, durationMs });
  }
  const { style } = invocation;
  if (run === null) {
    invocation.print(`${style.yellow("!")} Nothing was searched; a budget of 0 pays no step.`);
    return;
  }
  const interval =
    share === undefined ? "" : `, ${formatRate({ value: share.mean, low: share.low, high: share.high })},`;
  const mark = complete && lost === 0 ? style.green("✓") : style.yellow("!");
  const unseen = lost === 0 ? "" : `, ${cleanLine(lostWords(counts))},`;
  invocation.print(
    `${mark} ${formatCount(solved)} of ${plural(outcomes.length, "task")} solved${interval}${unseen} with ${plural(spent.modelCalls, "model call")}, ${plural(spent.envSteps, "environment step")} ${style.dim(`(${formatDuration(durationMs)})`)}`,
  );
  invocation.print(
    `  ${plural(trajectories, "branch", "branches")} in run ${style.cyan(run)}${harm === 0 ? "" : `; ${plural(harm, "irreversible action")} beside the chosen lines`}`,
  );
  if (wrote > 0)
    invocation.print(
      `  ${model} of ${plural(wrote, "writing")} were usable; otherwise the search went by its own rule.`,
    );
}
