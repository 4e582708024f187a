/** A rollout from the command line: choose, roll out, store, say what came of it. */
import { basename, dirname, resolve } from "node:path";
import { isAbort, parseOption, unknownName, type OptionValue } from "../../base/index.ts";
import type { Demonstrator, Env } from "../../env/index.ts";
import { assistantsOf } from "../../update/assistants.ts";
import {
  createStrategy,
  getStrategy,
  rollOut,
  spendingKinds,
  type EpisodeLimits,
  type Limits,
  type RollOutProgress,
} from "../../rollout/index.ts";
import { taskPool } from "../../store/index.ts";
import type { RunWriter, Store } from "../../store/store.ts";
import {
  episodesLost,
  isEnough,
  lostWords,
  scoreValue,
  successOf,
  tally,
  type JsonObject,
  type Tally,
  type Task,
  type Trajectory,
} from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT, exitCodeFor } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatCount, formatDuration, formatNumber, plural } from "../look/units.ts";
import { givenCount, givenNumber } from "../model/open-given.ts";
import { loadNatives } from "../natives.ts";
import { parseOptionTexts } from "../play/world-options.ts";
import { usageError } from "../parse.ts";
import { withLibrary } from "../skills/rollout-skills.ts";
import { withStore } from "../with-store.ts";
import { chosenAgent, type ChosenAgent } from "./chosen-agent.ts";
import { givenTasks, givenWorld } from "./given-world.ts";

interface Plan {
  readonly env: Env;
  readonly tasks: readonly Task[];
  readonly strategy: string;
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly seed: number;
  readonly concurrency: number;
  readonly attempts: number;
  readonly limits: Limits;
  readonly episode: EpisodeLimits;
  readonly chosen: ChosenAgent;
  /** Reflects and corrects where the strategy asks for it. */
  readonly demonstrator: Demonstrator | undefined;
  /** What the run keeps of it all. */
  readonly config: JsonObject;
}

export async function runRollout(invocation: Invocation): Promise<number> {
  if (invocation.text("fleet") !== undefined) {
    return await (await import("./fleet-rollout.ts")).runFleetRollout(invocation);
  }
  const plan = await planned(invocation);
  const dir = invocation.text("dir");
  try {
    if (dir === undefined) return await withStore(invocation.storeRoot, (store) => collect(invocation, store, plan));
    const folder = resolve(invocation.io.cwd, dir);
    return await withStore(dirname(folder), (store) => collect(invocation, store, plan, basename(folder)));
  } finally {
    await plan.chosen.close();
  }
}

async function planned(invocation: Invocation): Promise<Plan> {
  const { id: envId, world, options: envOptions, env } = await givenWorld(invocation, "rollout");
  const strategy = invocation.text("strategy") ?? "group";
  const options = strategyOptions(invocation, strategy);
  // Episodes of other runs are asked for in the middle of the rollout.
  await loadNatives(getStrategy(strategy).needs.includes("pool") ? ["duckdb"] : []);
  const seed = givenCount(invocation, "seed", 0, 0);
  const limits = givenLimits(invocation);
  const tasks = await givenTasks(invocation, env, { option: "count", otherwise: 8 });
  const chosen = await withLibrary(
    invocation,
    await chosenAgent(invocation, { command: "rollout", world, env: envId }),
  );
  const config = { env: envId, envOptions, strategy, options, seed, limits } as JsonObject;
  return {
    env,
    tasks,
    strategy,
    options,
    seed,
    concurrency: givenCount(invocation, "concurrency", 64),
    attempts: givenCount(invocation, "attempts", 3),
    limits,
    episode: episodeLimits(invocation),
    chosen,
    demonstrator: Object.values(world.demonstrators ?? {})[0],
    config: { ...config, policy: { ...chosen.agent.ref } },
  };
}

export function strategyOptions(invocation: Invocation, strategy: string): Record<string, OptionValue> {
  const { options } = getStrategy(strategy);
  const group = invocation.text("group");
  const given = [...(group === undefined ? [] : [["size", group] as const]), ...parseOptionTexts(invocation, "set")];
  return Object.fromEntries(given.map(([name, text]) => [name, parseOption(options, name, text, strategy)]));
}

function givenLimits(invocation: Invocation): Limits {
  return Object.fromEntries(
    parseOptionTexts(invocation, "limit").map(([kind, text]) => {
      if (!spendingKinds.some((known) => known === kind)) throw unknownName(kind, spendingKinds, "limit");
      const amount = text.trim() === "" ? Number.NaN : Number(text);
      if (!(amount >= 0)) throw usageError(`--limit ${kind}=${text}: the budget must be a number of at least 0.`);
      return [kind, amount];
    }),
  );
}

export function episodeLimits(invocation: Invocation): EpisodeLimits {
  const steps = invocation.text("max-steps");
  const tokens = invocation.text("episode-tokens");
  const seconds = invocation.text("episode-seconds");
  return {
    ...(steps === undefined ? {} : { steps: givenCount(invocation, "max-steps", 1) }),
    ...(tokens === undefined ? {} : { tokens: givenCount(invocation, "episode-tokens", 1) }),
    ...(seconds === undefined ? {} : { seconds: givenNumber(invocation, "episode-seconds", { otherwise: 1, low: 0 }) }),
  };
}

export interface Outcome {
  readonly progress: (Pick<RollOutProgress, "succeeded" | "failed"> & { readonly spent: object }) | undefined;
  readonly trajectories: number;
  /** Those of which success or failure is known. */
  readonly judged: number;
  readonly steps: number;
  /** Why episodes were lost, where it is known. */
  readonly losses?: Pick<Tally, "causes" | "first">;
  readonly fault: unknown;
}

async function collect(invocation: Invocation, store: Store, plan: Plan, folder?: string): Promise<number> {
  const started = invocation.io.now();
  const id = folder ?? invocation.text("run");
  const writer = await store.createRun({ kind: "rollout", ...(id === undefined ? {} : { id }), config: plan.config });
  const outcome = withLosses(await rollInto(invocation, store, writer, plan));
  if (outcome.trajectories === 0) await store.deleteRun(writer.run).catch(() => undefined);
  const run = outcome.trajectories === 0 ? null : writer.run;
  const durationMs = Math.round(invocation.io.now() - started);
  say(invocation, outcome, run, durationMs);
  if (outcome.fault === undefined) return EXIT.done;
  if (!isAbort(outcome.fault)) invocation.report(outcome.fault);
  return isAbort(outcome.fault) ? EXIT.interrupted : exitCodeFor(outcome.fault);
}

/** Whatever ends it, what was stored is committed. */
async function rollInto(invocation: Invocation, store: Store, writer: RunWriter, plan: Plan): Promise<Outcome> {
  const { env, tasks, strategy, options, chosen, demonstrator: _demonstrator, ...rest } = plan;
  let [trajectories, judged, steps] = [0, 0, 0];
  const failed: Trajectory[] = [];
  let progress: RollOutProgress | undefined;
  let fault: unknown;
  const bar = invocation.progress({ label: `Rolling out ${plural(tasks.length, "task")}` });
  const append = async (walked: Trajectory): Promise<void> => {
    const trajectory = (await chosen.finished?.(walked)) ?? walked;
    await writer.append(trajectory);
    trajectories += 1;
    if (trajectory.success !== null) judged += 1;
    if (trajectory.ending === "failed") failed.push({ ...trajectory, steps: [], streams: [] });
    steps += trajectory.steps.length;
    if (invocation.json) invocation.printJson(eventOf(trajectory));
  };
  const onProgress = (now: RollOutProgress): void => {
    progress = now;
    const tokens = now.spent.sampledTokens === 0 ? "" : `, ${formatCount(now.spent.sampledTokens)} tokens`;
    bar.update(now.episodes, `${formatCount(now.succeeded)} succeeded${tokens}`);
  };
  try {
    const { config: _config, ...settings } = rest;
    const { trajectories: _none, ...result } = await rollOut({
      ...settings,
      env,
      tasks,
      agent: chosen.agent,
      strategy: createStrategy(strategy, options),
      ...partnersOf(plan, store, writer.run),
      sink: { append },
      collect: false,
      signal: invocation.io.signal,
      onProgress,
    });
    progress = result;
  } catch (error) {
    fault = error;
  }
  bar.end();
  try {
    await writer.close();
  } catch (error) {
    fault ??= error;
  }
  return { progress, trajectories, judged, steps, fault, losses: tally(failed) };
}

/** A rollout that lost more than half of its episodes has failed, though what is left is stored. */
export function withLosses(outcome: Outcome): Outcome {
  const { progress, trajectories, losses = { causes: {} }, fault } = outcome;
  const lost = progress?.failed ?? 0;
  const counts = { ...losses, seen: trajectories - lost, lost };
  if (fault !== undefined || lost === 0 || isEnough(counts)) return outcome;
  const wayOut = "What was seen is stored. Mend the cause and roll out again.";
  return { ...outcome, fault: episodesLost("The rollout has too few episodes", counts, wayOut) };
}

/** Whom the strategy asks: the world's demonstrator, and for episodes of other runs the store itself. */
function partnersOf(plan: Plan, store: Store, run: string): ReturnType<typeof assistantsOf> {
  const { needs } = getStrategy(plan.strategy);
  const { env, demonstrator, episode, seed, chosen } = plan;
  const others = needs.filter((need) => need !== "pool");
  const request = { env, demonstrator, agent: chosen.agent, needs: others, seed: String(seed), peers: 0, episode };
  return { ...assistantsOf(request), ...(needs.includes("pool") ? { pool: taskPool(store, { except: run }) } : {}) };
}

function eventOf(trajectory: Trajectory): object {
  const { id, task, group, parent, ending, success, reward, steps, streams, failure } = trajectory;
  const tokens = streams.reduce((total, { mask }) => total + mask.reduce((count, on) => count + on, 0), 0);
  return {
    event: "trajectory",
    id,
    task: task.id,
    group,
    parent: parent ?? null,
    ending,
    success,
    reward: scoreValue(reward) ?? null,
    steps: steps.length,
    tokens,
    failure: failure?.code ?? null,
  };
}

export function say(
  invocation: Invocation,
  { progress, trajectories, judged, steps, fault, losses }: Outcome,
  run: string | null,
  durationMs: number,
  more: object = {},
): void {
  const { succeeded = 0, failed = 0, spent = {} } = progress ?? {};
  const causes = losses?.causes ?? {};
  const complete = fault === undefined;
  if (invocation.json) {
    const told = { trajectories, steps, succeeded, failed, causes, spent };
    invocation.printJson({ event: "end", run, ...told, complete, durationMs, ...more });
  }
  const { style } = invocation;
  if (run === null) {
    invocation.print(`${style.yellow("!")} Nothing was rolled out; a budget of 0 pays no episode.`);
    return;
  }
  const { success, low, high } = successOf({ seen: judged, solved: succeeded, lost: failed });
  const share = success === null ? "" : ` (${formatNumber(success)}, ${formatNumber(low)} to ${formatNumber(high)})`;
  const lost = failed === 0 ? "" : `, ${cleanLine(lostWords({ lost: failed, causes }))}`;
  const mark = complete && failed === 0 ? style.green("✓") : style.yellow("!");
  invocation.print(
    `${mark} ${plural(trajectories, "trajectory", "trajectories")}, ${plural(steps, "step")} in run ${style.cyan(run)}: ${formatCount(succeeded)} succeeded${share}${lost} ${style.dim(`(${formatDuration(durationMs)})`)}`,
  );
}
