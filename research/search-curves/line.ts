/** One search in one world at every budget: success, cost and harm on the same tasks. */
import { mean, sum } from "../../packages/base/src/base/statistics/summary.ts";
import { evaluateAgent } from "limbeck/eval";
import { createSearch, searchTasks } from "limbeck/search";
import type { SearchId } from "../../packages/core/src/search/registry.ts";
import { BLIND, contenders } from "./contenders.ts";
import type { StudyWorld, StudyWorldId } from "./worlds.ts";

/** Environment steps are cheap beside a model, but not free: replays and steps that were not asked for count. */
const STEPS_A_CALL = 4;

export interface LineRequest {
  readonly world: StudyWorldId;
  readonly method: SearchId;
  readonly multiples: readonly number[];
  readonly seed: number;
  readonly offset: number;
  /** Searches at the same time at each budget: a model batches what they ask. */
  readonly together: number;
  /** What an earlier process measured of this line; those budgets are not searched again. */
  readonly earlier?: CurveLine;
}

export interface CurvePoint {
  readonly multiple: number;
  /** What a task might spend. */
  readonly modelCalls: number;
  /** By task, in order: 1 where it was solved. */
  readonly solved: readonly number[];
  readonly calls: readonly number[];
  /** Actions that cannot be taken back, beside the line that is acted on. */
  readonly harm: readonly number[];
  /** Of all tasks together. */
  readonly irreversible: number;
  readonly envSteps: number;
  readonly sampledTokens: number;
  /** Searches in which something failed: the model's context was full, for example. */
  readonly failures: number;
  readonly seconds: number;
}

export interface CurveLine {
  readonly world: StudyWorldId;
  readonly policy: string;
  readonly method: string;
  readonly seesOutcome: boolean;
  readonly seed: number;
  /** Tasks of the split, counted from this one on. */
  readonly offset: number;
  readonly tasks: number;
  /** Model calls of one greedy episode, the mean over the tasks, rounded up. */
  readonly greedyCalls: number;
  readonly points: readonly CurvePoint[];
}

/** The policy alone, once for each task, without chance where it has none to take; all budgets are multiples of its cost. */
export async function greedyLine(world: StudyWorld, request: Omit<LineRequest, "method">): Promise<CurveLine> {
  const point = await greedyPoint(world, request.seed);
  return { ...headOf(world, request, "greedy", point.modelCalls), points: [point] };
}

/** All budgets at the same time: they have most of their beginnings in common. */
export async function curveLine(world: StudyWorld, request: LineRequest, greedyCalls: number): Promise<CurveLine> {
  const { method, multiples, earlier } = request;
  const head = headOf(world, request, method, greedyCalls);
  const before = agreed(earlier, head);
  const missing = multiples.filter((multiple) => before.every((point) => point.multiple !== multiple));
  const measured = await Promise.all(missing.map((multiple) => searchAt(world, request, multiple, greedyCalls)));
  return { ...head, points: [...before, ...measured].toSorted((left, right) => left.multiple - right.multiple) };
}

function headOf(
  { policy, tasks }: StudyWorld,
  { world, seed, offset }: Omit<LineRequest, "method">,
  method: SearchId | "greedy",
  greedyCalls: number,
): Omit<CurveLine, "points"> {
  const seesOutcome = method !== "greedy" && !BLIND.has(method);
  return { world, policy, method, seesOutcome, seed, offset, tasks: tasks.length, greedyCalls };
}

/** Points of the same line; those with other tasks or another policy are not of it. */
function agreed(earlier: CurveLine | undefined, head: Omit<CurveLine, "points">): readonly CurvePoint[] {
  if (earlier === undefined) return [];
  const { points, ...other } = earlier;
  return JSON.stringify(other) === JSON.stringify(head) ? points : [];
}

async function greedyPoint({ env, greedy, tasks }: StudyWorld, seed: number): Promise<CurvePoint> {
  const started = performance.now();
  const { trajectories, spent, evaluation } = await evaluateAgent({ env, agent: greedy, tasks, seed, concurrency: 64 });
  const calls = trajectories.map(({ steps }) => steps.length);
  return {
    multiple: 1,
    modelCalls: Math.ceil(mean(calls)),
    solved: trajectories.map(({ success }) => Number(success === true)),
    calls,
    harm: tasks.map(() => 0),
    irreversible: 0,
    envSteps: sum(calls),
    sampledTokens: spent.sampledTokens,
    failures: evaluation.failed,
    seconds: secondsSince(started),
  };
}

async function searchAt(
  { env, agent, tasks }: StudyWorld,
  { method, seed, together }: LineRequest,
  multiple: number,
  greedyCalls: number,
): Promise<CurvePoint> {
  const started = performance.now();
  const modelCalls = multiple * greedyCalls;
  const outcomes = await searchTasks({
    plan: {
      search: () => createSearch(method, contenders[method](multiple)),
      budget: { modelCalls, envSteps: STEPS_A_CALL * modelCalls },
      seesOutcome: !BLIND.has(method),
    },
    env,
    agent,
    tasks,
    seed,
    together,
  });
  return {
    multiple,
    modelCalls,
    solved: outcomes.map(({ episode }) => Number(episode.success === true)),
    calls: outcomes.map(({ spent }) => spent.modelCalls),
    harm: outcomes.map(({ harm }) => harm),
    irreversible: sum(outcomes.map(({ irreversible }) => irreversible)),
    envSteps: sum(outcomes.map(({ spent }) => spent.envSteps)),
    sampledTokens: sum(outcomes.map(({ spent }) => spent.sampledTokens)),
    failures: outcomes.filter(({ failures }) => failures.length > 0).length,
    seconds: secondsSince(started),
  };
}

function secondsSince(started: number): number {
  return Math.round((performance.now() - started) / 100) / 10;
}
