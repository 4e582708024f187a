/** A small world and a policy with known probabilities, both counting what is open: the ground strategies are checked on. */
import { createRng } from "limbeck-base/base/rng";
import { errorCode } from "limbeck-base/base/errors";
import { createCorridor } from "../env/corridor.ts";
import type { Env, Episode } from "../env/env.ts";
import { wrapEnv, wrapEpisode } from "../env/wrap.ts";
import type { Conversation, Policy, WholeScorer } from "limbeck-policy/policy/policy";
import { createTabularPolicy } from "limbeck-policy/policy/tabular/tabular-policy";
import type { Agent } from "./mind/agent.ts";
import type { Sink } from "./scope.ts";
import { createTokenAgent } from "./mind/token-agent.ts";
import { ANSWER, createWordDialect, END } from "./mind/word-dialect.ts";
import { createForest, validateForest } from "limbeck-base/trajectory/forest";
import { trajectoryFromJson, trajectoryToJson } from "limbeck-base/trajectory/schema";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { sharedContext } from "limbeck-base/trajectory/whole-streams";

export interface Counts {
  /** Episodes and conversations that are open now. */
  episodes: number;
  conversations: number;
  /** What was really spent, counted where it is spent. */
  envSteps: number;
  sampledTokens: number;
  modelCalls: number;
}

export interface CheckGround {
  readonly env: Env;
  readonly agent: Agent;
  readonly counts: Counts;
}

export interface GroundOptions {
  /** Answers take a different number of turns each, so that walks overtake one another. */
  readonly jumbled?: boolean;
  /** Called after every step of the world. */
  readonly onStep?: (steps: number) => void;
  /** Every so many steps the world throws. */
  readonly failEvery?: number;
}

const WORDS = ["go", "east", "west", "Room", "1.", "2.", "3.", "4.", "A", "wall."] as const;
/** Words that nobody says, so that a reader may ask for as many of the most probable ones as by default. */
const UNSAID = ["north", "south", "up", "down", "door", "key", "lamp", "rug"] as const;

/** A corridor, and a policy that walks it east more often than west and sometimes talks nonsense. */
export function createCheckGround(options: GroundOptions = {}): CheckGround {
  const counts: Counts = { episodes: 0, conversations: 0, envSteps: 0, sampledTokens: 0, modelCalls: 0 };
  const dialect = createWordDialect([...WORDS, ...UNSAID]);
  const id = (word: (typeof WORDS)[number]): number => dialect.encode(word)[0] as number;
  const row = (chances: ReadonlyMap<number, number>): Float64Array =>
    Float64Array.from({ length: dialect.vocabularySize }, (_, token) => chances.get(token) ?? 0);
  const afterAnswer = row(new Map([[id("go"), 0.9], [id("wall."), 0.1]])); // prettier-ignore
  const afterGo = row(new Map([[id("east"), 0.65], [id("west"), 0.3], [id("go"), 0.05]])); // prettier-ignore
  const probabilities = Array.from({ length: dialect.vocabularySize }, (_, last) =>
    last === ANSWER ? afterAnswer : last === id("go") ? afterGo : row(new Map([[END, 1]])),
  );
  const turns = createRng("turns");
  const policy = createTabularPolicy({
    probabilities,
    ...(options.jumbled === true ? { delay: () => idle(turns.int(24)) } : {}),
  });
  const copy = countedPolicy(policy, counts, "explores");
  const counted = Object.assign(countedPolicy(policy, counts), { rough: () => Promise.resolve(copy) });
  const agent = createTokenAgent({ policy: counted, dialect, answerTokens: 4 });
  return { env: countedEnv(createCorridor(), counts, options), agent, counts };
}

async function idle(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
}

function countedEnv(env: Env, counts: Counts, { onStep, failEvery }: GroundOptions): Env {
  const counted = (inner: Episode): Episode => {
    counts.episodes += 1;
    let open = true;
    return wrapEpisode(inner, {
      step: async (action, stepOptions) => {
        counts.envSteps += 1;
        if (failEvery !== undefined && counts.envSteps % failEvery === 0) throw new Error("The floor gave way.");
        const result = await inner.step(action, stepOptions);
        onStep?.(counts.envSteps);
        return result;
      },
      fork: async () => counted(await inner.fork()),
      close: async () => {
        if (open) counts.episodes -= 1;
        open = false;
        await inner.close();
      },
    });
  };
  return wrapEnv(env, counted);
}

/** What a copy says that only explores is not stored, and so not counted as sampled. */
function countedPolicy(
  policy: Policy & WholeScorer,
  counts: Counts,
  role: "acts" | "explores" = "acts",
): Policy & WholeScorer {
  const counted = (inner: Conversation): Conversation => {
    counts.conversations += 1;
    let open = true;
    return {
      get tokens() {
        return inner.tokens;
      },
      extend: (ids) => inner.extend(ids),
      sample: async (sampleOptions) => {
        counts.modelCalls += 1;
        const sampled = await inner.sample(sampleOptions);
        if (role === "acts") counts.sampledTokens += sampled.ids.length;
        return sampled;
      },
      fork: (label) => counted(inner.fork(label)),
      close: () => {
        if (open) counts.conversations -= 1;
        open = false;
        inner.close();
      },
    };
  };
  return {
    statistics: policy.statistics,
    score: (rows, scoreOptions) => policy.score(rows, scoreOptions),
    topTokens: (rows, topOptions) => policy.topTokens(rows, topOptions),
    get ref() {
      return policy.ref;
    },
    open: (conversation) => counted(policy.open(conversation)),
    close: () => policy.close(),
  };
}

// Checks of what a rollout or a search has stored and left behind, for the suites of both.

/** Says what was broken, and by whom. */
export type Fail = (what: string) => never;

/** Every trajectory is as the schema says, the forest fits together, and every sampled token is in one span. */
export function checkTrajectories(fail: Fail, trajectories: readonly Trajectory[]): void {
  const [fault] = validateForest(trajectories);
  if (fault !== undefined) fail(fault.message);
  const forest = createForest(trajectories);
  for (const trajectory of trajectories) {
    trajectoryFromJson(trajectoryToJson(trajectory), `Trajectory "${trajectory.id}"`);
    sharedContext(forest, trajectory);
    const covered = trajectory.streams.map(({ ids }) => new Uint8Array(ids.length));
    for (const { span } of trajectory.steps) {
      if (span !== undefined) covered[span.stream]?.fill(1, span.start, span.end);
    }
    trajectory.streams.forEach(({ mask }, stream) => {
      const at = mask.findIndex((on, token) => on === 1 && covered[stream]?.[token] !== 1);
      if (at >= 0) fail(`Token ${at} of stream ${stream} of "${trajectory.id}" was sampled but is in no step.`);
    });
  }
}

/** What was stored is a valid forest, and nothing was left open. */
export function checkLeft(fail: Fail, ground: CheckGround, trajectories: readonly Trajectory[]): void {
  checkTrajectories(fail, trajectories);
  checkClosed(fail, ground);
}

/** Nothing was left open. */
export function checkClosed(fail: Fail, { counts }: CheckGround): void {
  if (counts.episodes === 0 && counts.conversations === 0) return;
  fail(`${counts.episodes} episodes and ${counts.conversations} conversations were left open.`);
}

/** Something walked on a ground of its own. */
export interface Walked<Result> {
  readonly ground: CheckGround;
  readonly result: Result;
}

/** One seed, one forest: whatever the concurrency, and whichever is quicker. */
export async function checkOrder(
  fail: Fail,
  run: (
    more: { readonly concurrency: number },
    ground?: GroundOptions,
  ) => Promise<Walked<{ readonly trajectories: readonly Trajectory[] }>>,
): Promise<void> {
  const wanted = await run({ concurrency: 1 });
  for (const concurrency of [4, 64]) {
    const { result } = await run({ concurrency }, { jumbled: true });
    expectSameForest(fail, `at concurrency ${concurrency}`, result.trajectories, wanted.result.trajectories);
  }
}

/** Cancelled in the middle: what was stored is a valid forest, and nothing stays open. */
export async function checkCancelled(
  fail: Fail,
  run: (ground: CheckGround, more: { readonly signal: AbortSignal; readonly sink: Sink }) => Promise<unknown>,
): Promise<void> {
  for (const after of [0, 1, 5, 14]) {
    const stop = new AbortController();
    if (after === 0) stop.abort();
    const ground = createCheckGround({ jumbled: true, onStep: (steps) => void (steps === after && stop.abort()) });
    const store: Trajectory[] = [];
    const sink: Sink = { append: async (trajectory) => void store.push(trajectory) };
    const error: unknown = await run(ground, { signal: stop.signal, sink }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    // One that was over before the step came is not cancelled.
    if (stop.signal.aborted && errorCode(error) !== "cancelled") {
      fail(`Cancelled after ${after} steps, it gave ${String(error)} instead of "cancelled".`);
    }
    checkLeft(fail, ground, store);
  }
}

/** Worlds are closed without waiting for them. */
export async function settle(): Promise<void> {
  await idle(16);
}

export function expectSameForest(
  fail: Fail,
  what: string,
  got: readonly Trajectory[],
  wanted: readonly Trajectory[],
): void {
  const ids = [got, wanted].map((forest) => forest.map(({ id }) => id).join(" "));
  if (ids[0] !== ids[1]) fail(`The forest differs ${what}: ${ids[0]} instead of ${ids[1]}.`);
  got.forEach((trajectory, at) => {
    const [left, right] = [trajectory, wanted[at] as Trajectory].map((one) => JSON.stringify(timeless(one)));
    if (left !== right) fail(`Trajectory "${trajectory.id}" differs ${what}.`);
  });
}

/** A trajectory without its times. */
function timeless(trajectory: Trajectory): unknown {
  const { timing: _timing, steps, ...rest } = trajectoryToJson(trajectory);
  return { ...rest, steps: steps.map(({ timing: _stepTiming, ...step }) => step) };
}
