/** One search in one world at every budget: success, cost and harm on the same tasks. */
import { mean } from "../../src/base/index.ts";
import { evaluate } from "../../src/eval/evaluate.ts";
import { createSearch, searchTasks, type SearchId } from "../../src/search/index.ts";
import { BLIND, contenders } from "./contenders.ts";
import { openStudyWorld, type StudyWorldId, type StudyWorldRequest } from "./worlds.ts";

/** Environment steps are cheap beside a model, but not free: replays and steps that were not asked for count. */
const STEPS_A_CALL = 4;

export interface LineRequest extends StudyWorldRequest {
  readonly world: StudyWorldId;
  /** "plain": the policy alone, once. */
  readonly method: SearchId | "plain";
  readonly multiples: readonly number[];
  readonly seed: number;
  /** Searches at the same time: a model batches what they ask. */
  readonly together: number;
  readonly print?: (line: string) => void;
}

export interface CurvePoint {
  readonly multiple: number;
  /** What a task might spend. */
  readonly modelCalls: number;
  /** By task, in order. */
  readonly solved: readonly boolean[];
  readonly calls: readonly number[];
  readonly envSteps: readonly number[];
  readonly sampledTokens: readonly number[];
  readonly irreversible: readonly number[];
  readonly harm: readonly number[];
  readonly seconds: number;
}

export interface CurveLine {
  readonly world: StudyWorldId;
  readonly policy: string;
  readonly method: string;
  readonly seesOutcome: boolean;
  readonly seed: number;
  readonly tasks: readonly string[];
  /** Model calls of one episode of the policy, the mean over the tasks, rounded up. */
  readonly greedyCalls: number;
  readonly points: readonly CurvePoint[];
}

export async function curveLine(request: LineRequest): Promise<CurveLine> {
  const { method, seed, multiples, print } = request;
  const world = await openStudyWorld(request.world, request);
  try {
    const { env, agent, tasks, policy } = world;
    const started = performance.now();
    const plain = await evaluate({ env, agent, tasks, seed, concurrency: 64 });
    const calls = plain.trajectories.map(({ steps }) => steps.length);
    const greedyCalls = Math.ceil(mean(calls));
    const seesOutcome = method !== "plain" && !BLIND.has(method);
    const points: CurvePoint[] = [];
    if (method === "plain") {
      points.push({
        multiple: 1,
        modelCalls: greedyCalls,
        solved: plain.trajectories.map(({ success }) => success === true),
        calls,
        envSteps: calls,
        sampledTokens: tasks.map(() => plain.spent.sampledTokens / tasks.length),
        irreversible: tasks.map(() => 0),
        harm: tasks.map(() => 0),
        seconds: (performance.now() - started) / 1_000,
      });
    } else {
      for (const multiple of multiples) {
        const point = await measured(world, { ...request, method, seesOutcome }, multiple, multiple * greedyCalls);
        points.push(point);
        const share = (100 * point.solved.filter(Boolean).length) / tasks.length;
        print?.(`${request.world} ${method} x${multiple}: ${share.toFixed(1)}% in ${point.seconds.toFixed(1)} s`);
      }
    }
    const ids = tasks.map(({ id }) => id);
    return { world: request.world, policy, method, seesOutcome, seed, tasks: ids, greedyCalls, points };
  } finally {
    await world.close();
  }
}

async function measured(
  { env, agent, tasks }: Awaited<ReturnType<typeof openStudyWorld>>,
  request: Omit<LineRequest, "method"> & { readonly method: SearchId; readonly seesOutcome: boolean },
  multiple: number,
  modelCalls: number,
): Promise<CurvePoint> {
  const { method, seed, together, seesOutcome } = request;
  const started = performance.now();
  const outcomes = await searchTasks({
    plan: {
      search: () => createSearch(method, contenders[method](multiple)),
      budget: { modelCalls, envSteps: STEPS_A_CALL * modelCalls },
      seesOutcome,
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
    solved: outcomes.map(({ episode }) => episode.success === true),
    calls: outcomes.map(({ spent }) => spent.modelCalls),
    envSteps: outcomes.map(({ spent }) => spent.envSteps),
    sampledTokens: outcomes.map(({ spent }) => spent.sampledTokens),
    irreversible: outcomes.map(({ irreversible }) => irreversible),
    harm: outcomes.map(({ harm }) => harm),
    seconds: (performance.now() - started) / 1_000,
  };
}
