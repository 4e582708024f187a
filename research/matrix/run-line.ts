/** Runs one line in this process: a whole training, small, with nothing kept but its numbers. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorData } from "../../packages/base/src/base/errors.ts";
import { getWorld, type World } from "limbeck/env";
import { type Env, train, type Task, type Trajectory } from "limbeck";
import { createDemonstratorExpert, withExperts } from "limbeck/search";
import { rewardTrajectories } from "limbeck/reward";
import type { EndEvent, Spent } from "../../packages/training/src/training/events.ts";
import type { UpdateEvent } from "limbeck/training";
import { byTask } from "../../packages/base/src/trajectory/rows.ts";
import { demonstrate } from "limbeck/update";
import type { Solution } from "../../packages/core/src/update/record.ts";
import { REPORT_TASKS, SEED, UPDATES, type Line, type RewardLine } from "./line.ts";
import { given } from "./lines.ts";

export interface LineResult {
  readonly line: string;
  /** What decides the course of the run; a stored result of another one is run again. */
  readonly setting: string;
  readonly env: string;
  readonly recipe: string;
  readonly credit: string;
  readonly strategy: string;
  readonly supplied: string;
  readonly updates: number;
  /** Success on held-out tasks. */
  readonly before: number | null;
  readonly after: number | null;
  /** Mean reward of the first and the last five updates' episodes. */
  readonly rewardFirst: number | null;
  readonly rewardLast: number | null;
  readonly entropyFirst: number | null;
  readonly entropyLast: number | null;
  readonly gradientNorm: number | null;
  readonly spent: Spent | null;
  readonly seconds: number;
  readonly notices: readonly string[];
  /** Why it ended early, when it did. */
  readonly failure: { readonly code: string; readonly message: string } | null;
}

export interface RunLineOptions {
  readonly model: string;
  readonly updates?: number;
  /** Held-out tasks before and after. */
  readonly reportTasks?: number;
  readonly signal?: AbortSignal;
}

const ENDS = 5;

/** Names everything that decides the run, so that a result of an older setting is known. */
export function settingOf(line: Line, updates = UPDATES): string {
  const { env, envOptions, recipe, credit, strategy, objective } = line;
  const reward = line.reward?.plan ?? null;
  return JSON.stringify({
    env,
    envOptions,
    recipe,
    credit,
    strategy,
    objective,
    settings: given(line),
    reward,
    updates,
  });
}

export async function runLine(line: Line, options: RunLineOptions): Promise<LineResult> {
  const { updates = UPDATES, reportTasks = REPORT_TASKS, signal = new AbortController().signal } = options;
  const started = performance.now();
  const events: UpdateEvent[] = [];
  const notices = new Set<string>();
  let failure: LineResult["failure"] = null;
  let end: EndEvent | undefined;
  const dir = await mkdtemp(join(tmpdir(), "limbeck-matrix-"));
  try {
    end = await trainLine(line, { ...options, updates, reportTasks, signal, dir, events, notices });
  } catch (error) {
    const { code, message } = errorData(error);
    failure = { code, message: message.slice(0, 400) };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  const { env, recipe, credit, strategy, supplied } = line;
  const norms = events.flatMap(({ metrics }) => metrics["gradientNorm"] ?? []);
  return {
    line: line.id,
    setting: settingOf(line, updates),
    env,
    recipe,
    credit,
    strategy,
    supplied,
    updates: events.length,
    before: finite(end?.before.success ?? undefined),
    after: finite(end?.after.success ?? undefined),
    rewardFirst: meanOf(events.slice(0, ENDS).map(({ reward }) => reward)),
    rewardLast: meanOf(events.slice(-ENDS).map(({ reward }) => reward)),
    entropyFirst: finite(events[0]?.entropy),
    entropyLast: finite(events.at(-1)?.entropy),
    gradientNorm: meanOf(norms),
    spent: events.at(-1)?.spent ?? null,
    seconds: (performance.now() - started) / 1_000,
    notices: [...notices].slice(0, 5),
    failure,
  };
}

interface TrainLineRequest extends Required<RunLineOptions> {
  readonly dir: string;
  readonly events: UpdateEvent[];
  readonly notices: Set<string>;
}

/** Maestro needs somebody to ask: the world's demonstrators. */
function asked({ recipe }: Line, { demonstrators = {} }: World, env: Env): Env {
  if (recipe !== "maestro") return env;
  const experts = Object.values(demonstrators).map((demonstrator) =>
    createDemonstratorExpert({
      name: demonstrator.id,
      skill: "this world",
      description: demonstrator.summary,
      price: 1,
      demonstrator,
    }),
  );
  return withExperts(env, { experts, turns: null, mostCalls: 1, actsItself: true });
}

async function trainLine(line: Line, request: TrainLineRequest): Promise<EndEvent> {
  const world = await getWorld(line.env);
  const env = asked(line, world, await world.create(line.envOptions));
  const demonstrator = Object.values(world.demonstrators ?? {})[0];
  const { recipe, credit, strategy, objective } = line;
  const { signal } = request;
  const solve = (task: Task): Promise<Solution | undefined> =>
    demonstrate({ env, demonstrator, seed: "matrix", signal }, task);
  return await train({
    recipe,
    credit,
    strategy,
    objective,
    settings: given(line),
    env,
    demonstrator,
    envName: line.env,
    model: request.model,
    ...(line.reward === undefined ? {} : { rewardAll: rewarder(line.reward, solve) }),
    steps: request.updates,
    seed: SEED,
    validation: { every: 0, tasks: 0 },
    report: { tasks: request.reportTasks },
    checkpointEvery: request.updates,
    dir: join(request.dir, "run"),
    keep: false,
    threads: 1,
    onEvent: (event) => {
      if (event.kind === "update") request.events.push(event);
      if (event.kind === "notice") request.notices.add(event.message);
    },
    now: () => performance.now(),
    signal,
  });
}

/** Rewards are pure functions of finished episodes, so what a demonstrator knows is asked for beforehand. */
function rewarder(
  { plan, givens }: RewardLine,
  solve: (task: Trajectory["task"]) => Promise<Solution | undefined>,
): (episodes: readonly Trajectory[]) => Promise<readonly Trajectory[]> {
  return async (episodes) => {
    const known = new Map<string, Solution | undefined>();
    const asks = plan.rewards.some(({ use }) => use === "tool-match");
    for (const { id, trajectories } of asks ? byTask(episodes) : []) {
      const [first] = trajectories;
      if (first !== undefined) known.set(id, await solve(first.task));
    }
    const { trajectories } = await rewardTrajectories(
      episodes,
      plan,
      givens((task) => known.get(task.id)),
    );
    return trajectories;
  };
}

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

function meanOf(values: readonly number[]): number | null {
  const known = values.filter((value) => Number.isFinite(value));
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
