/** Plays episodes on from points of their past, with copies of the world: what a state, or a prefix of an answer, is worth. */
import { rollOut, type Strategy, type Suspended } from "../../rollout/index.ts";
import { scoreValue, trajectoryToJson, type Step, type Task, type TokenStream } from "../../trajectory/index.ts";
import type { Place } from "./contexts.ts";
import type { ProviderBench } from "./provider.ts";

/** The point just before a step's answer, or after some tokens of it. */
export interface Point {
  readonly place: Place;
  /** Steps before it, from the root, as `pastOf` places them. */
  readonly past: readonly Step[];
  /** How many tokens of the answer are kept. */
  readonly tokens: number;
}

export interface PlayedOn {
  /** Rewards of the steps from the point on. */
  readonly rewards: readonly number[];
  /** Of the whole episode. */
  readonly outcome: number;
}

/** `count` continuations of each point; those that were lost are left out. */
export async function playOn(points: readonly Point[], count: number, bench: ProviderBench): Promise<PlayedOn[][]> {
  const found = points.map((): PlayedOn[] => []);
  const jobs = points.flatMap((point, at) => Array.from({ length: count }, (_, number) => ({ point, at, number })));
  const strategy: Strategy = {
    run: async (scope) => {
      await scope.each(jobs, async (own, { point, at, number }) => {
        const walk = await own.resume(keptAt(point, number));
        await walk?.advance();
        const outcome = walk === undefined ? undefined : scoreValue(walk.reward);
        if (walk === undefined || outcome === undefined) return;
        const from = point.place.step.index;
        const rewards = walk.steps.filter(({ index }) => index >= from).map(({ reward }) => scoreValue(reward) ?? 0);
        found[at]?.push({ rewards, outcome });
      });
    },
  };
  const tasks = new Map<string, Task>(points.map(({ place }) => [place.trajectory.task.id, place.trajectory.task]));
  const { spent } = await rollOut({
    env: bench.env,
    agent: bench.agent(1),
    strategy,
    tasks: [...tasks.values()],
    seed: `${bench.seed} continuations`,
    signal: bench.signal,
    collect: false,
  });
  const read = jobs.reduce((total, { point }) => total + point.place.start + point.tokens, 0);
  bench.spend({ environmentSteps: spent.envSteps, sampledTokens: spent.sampledTokens, modelTokens: read });
  return found;
}

/** The episode as if it had been suspended at the point. Its tokens become one stream: the context in hand. */
function keptAt({ place, past, tokens }: Point, number: number): Suspended {
  const { trajectory, step, stream, start } = place;
  const end = start + tokens;
  const cut: TokenStream = { ids: stream.ids.slice(0, end), mask: new Uint8Array(end) };
  const unfinished = { ...step, span: { stream: 0, start, end }, info: { ...step.info, unfinished: true } };
  const steps = [...past, ...(tokens === 0 ? [] : [unfinished])];
  const { parent: _parent, info: _info, ...rest } = trajectory;
  const id = `${trajectory.id}@${step.index}.${tokens}/${number}`;
  return {
    trajectory: trajectoryToJson({
      ...rest,
      id,
      steps,
      streams: [cut],
      rewards: [],
      ending: "truncated",
      success: null,
      closing: { observation: step.observation },
    }),
    label: String(number),
    over: false,
  };
}
