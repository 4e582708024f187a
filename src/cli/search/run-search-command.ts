/** A search from the command line: choose, search, store every branch, say what came of it. */
import { isAbort, sum, wilson } from "../../base/index.ts";
import { searchTasks, type SearchOutcome, type SearchSpending } from "../../search/index.ts";
import type { RunWriter, Store } from "../../store/store.ts";
import { scoreValue, type JsonObject, type Task } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT, exitCodeFor } from "../exit-code.ts";
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

interface Tally {
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
  const tally = await searchInto(invocation, writer, plan);
  if (tally.trajectories === 0) await store.deleteRun(writer.run).catch(() => undefined);
  say(invocation, tally, {
    run: tally.trajectories === 0 ? null : writer.run,
    durationMs: Math.round(invocation.io.now() - started),
  });
  if (tally.fault === undefined) return EXIT.done;
  if (!isAbort(tally.fault)) invocation.report(tally.fault);
  return isAbort(tally.fault) ? EXIT.interrupted : exitCodeFor(tally.fault);
}

/** Whatever ends it, what was stored is committed. */
async function searchInto(invocation: Invocation, writer: RunWriter, plan: Plan): Promise<Tally> {
  const { env, tasks, seed, chosen, search } = plan;
  const tally: Tally = { outcomes: [], trajectories: 0, fault: undefined };
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
          tally.trajectories += 1;
        },
      },
      onOutcome: async (outcome) => {
        tally.outcomes.push(outcome);
        await writer.addEvent("search", eventOf(outcome) as JsonObject);
        if (invocation.json) invocation.printJson(eventOf(outcome));
        const solved = tally.outcomes.filter(({ episode }) => episode.success === true).length;
        bar.update(tally.outcomes.length, `${formatCount(solved)} solved`);
      },
    });
  } catch (error) {
    tally.fault = error;
  }
  bar.end();
  try {
    await writer.close();
  } catch (error) {
    tally.fault ??= error;
  }
  return tally;
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
  { outcomes, trajectories, fault }: Tally,
  { run, durationMs }: { readonly run: string | null; readonly durationMs: number },
): void {
  const solved = outcomes.filter(({ episode }) => episode.success === true).length;
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
  const share =
    outcomes.length === 0 ? undefined : { mean: solved / outcomes.length, ...wilson(solved, outcomes.length) };
  if (invocation.json) {
    const counts = {
      tasks: outcomes.length,
      solved,
      success: share ?? null,
      nodes,
      trajectories,
      irreversible,
      harm,
      spent,
    };
    invocation.printJson({ event: "end", run, ...counts, complete, durationMs });
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
  const mark = complete ? style.green("✓") : style.yellow("!");
  invocation.print(
    `${mark} ${formatCount(solved)} of ${plural(outcomes.length, "task")} solved${interval} with ${plural(spent.modelCalls, "model call")}, ${formatCount(spent.envSteps)} environment steps ${style.dim(`(${formatDuration(durationMs)})`)}`,
  );
  invocation.print(
    `  ${plural(trajectories, "branch", "branches")} in run ${style.cyan(run)}${harm === 0 ? "" : `; ${plural(harm, "irreversible action")} beside the chosen lines`}`,
  );
}
