/** A search from the command line: choose, search, store every branch, say what came of it. */
import { isAbort, sum } from "../../base/index.ts";
import { searchTasks, type SearchOutcome, type SearchSpending } from "../../search/index.ts";
import type { RunWriter, Store } from "../../store/store.ts";
import {
  episodesLost,
  isEnough,
  lostWords,
  scoreValue,
  successOf,
  tally,
  type JsonObject,
  type Task,
} from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT, exitCodeFor } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatCount, formatDuration, formatNumber, plural } from "../look/units.ts";
import { givenCount } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { chosenAgent, type ChosenAgent } from "../rollout/chosen-agent.ts";
import { givenTasks, givenWorld, type GivenWorld } from "../rollout/given-world.ts";
import { withStore } from "../with-store.ts";
import { chosenSearch, type ChosenSearch } from "./chosen-search.ts";

const OPTIONS = { method: "method", set: "set", budget: "budget" } as const;

interface Plan extends GivenWorld {
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly chosen: ChosenAgent;
  readonly search: ChosenSearch;
}

export async function runSearchCommand(invocation: Invocation): Promise<number> {
  const plan = await planned(invocation);
  try {
    return await withStore(invocation.storeRoot, (store) => collect(invocation, store, plan));
  } finally {
    await plan.search.close();
    await plan.chosen.close();
  }
}

async function planned(invocation: Invocation): Promise<Plan> {
  const [policy, model] = [invocation.text("policy"), invocation.text("model")];
  if (policy !== undefined && model !== undefined) throw usageError("--policy and --model both name who acts.");
  const given = await givenWorld(invocation, "search");
  const tasks = await givenTasks(invocation, given.env, { option: "tasks", otherwise: 8 });
  const seed = givenCount(invocation, "seed", 0, 0);
  const method = invocation.text("method") ?? "best-of-n";
  const named: Invocation = {
    ...invocation,
    text: (option) => (option === "method" ? method : invocation.text(option)),
  };
  const search = (await chosenSearch(named, OPTIONS)) as ChosenSearch;
  try {
    const place = { command: "search", world: given.world, env: given.id, name: policy ?? model ?? "" };
    return { ...given, tasks, seed, search, chosen: await chosenAgent(invocation, place) };
  } catch (error) {
    await search.close();
    throw error;
  }
}

interface Found {
  readonly outcomes: SearchOutcome[];
  trajectories: number;
  fault: unknown;
}

async function collect(invocation: Invocation, store: Store, plan: Plan): Promise<number> {
  const started = invocation.io.now();
  const id = invocation.text("run");
  const config = {
    env: plan.id,
    envOptions: plan.options,
    seed: plan.seed,
    search: plan.search.config,
    policy: { ...plan.chosen.agent.ref },
  } as JsonObject;
  const writer = await store.createRun({ kind: "search", ...(id === undefined ? {} : { id }), config });
  const found = await searchInto(invocation, writer, plan);
  const counts = tally(found.outcomes.map(({ episode }) => episode));
  if (counts.lost > 0 && !isEnough(counts)) {
    found.fault ??= episodesLost("The search has too few results", counts, "Mend the cause and search again.");
  }
  if (found.trajectories === 0) await store.deleteRun(writer.run).catch(() => undefined);
  say(invocation, found, {
    run: found.trajectories === 0 ? null : writer.run,
    durationMs: Math.round(invocation.io.now() - started),
  });
  if (found.fault === undefined) return EXIT.done;
  if (!isAbort(found.fault)) invocation.report(found.fault);
  return isAbort(found.fault) ? EXIT.interrupted : exitCodeFor(found.fault);
}

/** Whatever ends it, what was stored is committed. */
async function searchInto(invocation: Invocation, writer: RunWriter, plan: Plan): Promise<Found> {
  const { env, tasks, seed, chosen, search } = plan;
  const found: Found = { outcomes: [], trajectories: 0, fault: undefined };
  const steps = invocation.text("max-steps");
  const bar = invocation.progress({ label: `Searching ${plural(tasks.length, "task")}`, total: tasks.length });
  try {
    await searchTasks({
      plan: search.plan,
      env,
      agent: chosen.agent,
      tasks,
      seed,
      together: givenCount(invocation, "together", 8),
      ...(steps === undefined ? {} : { steps: givenCount(invocation, "max-steps", 1) }),
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
  } catch (error) {
    found.fault = error;
  }
  bar.end();
  try {
    await writer.close();
  } catch (error) {
    found.fault ??= error;
  }
  return found;
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
  { outcomes, trajectories, fault }: Found,
  { run, durationMs }: { readonly run: string | null; readonly durationMs: number },
): void {
  const counts = tally(outcomes.map(({ episode }) => episode));
  const { solved, lost, causes } = counts;
  const total = (value: (outcome: SearchOutcome) => number): number => sum(outcomes.map(value));
  const spent = Object.fromEntries(
    KINDS.map((kind) => [kind, total((one) => one.spent[kind])]),
  ) as unknown as SearchSpending;
  const [nodes, irreversible, harm] = [
    total((one) => one.nodes),
    total((one) => one.irreversible),
    total((one) => one.harm),
  ];
  const complete = fault === undefined;
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
    };
    invocation.printJson({ event: "end", run, ...told, complete, durationMs });
  }
  const { style } = invocation;
  if (run === null) {
    invocation.print(`${style.yellow("!")} Nothing was searched; a budget of 0 pays no step.`);
    return;
  }
  const interval =
    share === undefined
      ? ""
      : ` (${formatNumber(share.mean)}, ${formatNumber(share.low)} to ${formatNumber(share.high)})`;
  const mark = complete && lost === 0 ? style.green("✓") : style.yellow("!");
  const unseen = lost === 0 ? "" : `, ${cleanLine(lostWords(counts))},`;
  invocation.print(
    `${mark} ${formatCount(solved)} of ${plural(outcomes.length, "task")} solved${interval}${unseen} with ${plural(spent.modelCalls, "model call")}, ${formatCount(spent.envSteps)} environment steps ${style.dim(`(${formatDuration(durationMs)})`)}`,
  );
  invocation.print(
    `  ${plural(trajectories, "branch", "branches")} in run ${style.cyan(run)}${harm === 0 ? "" : `; ${plural(harm, "irreversible action")} beside the chosen lines`}`,
  );
}
