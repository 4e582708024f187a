/** Plays episodes on from points of their past, with copies of the world: what a state, or a prefix of an answer, is worth. */
import { EngineError } from "limbeck-base/base/errors";
import type { Env, Episode } from "../../env/env.ts";
import { rollOut } from "../../walk/line/roll-out.ts";
import type { Strategy, Suspended } from "../../walk/line/strategy.ts";
import { scoreValue } from "limbeck-base/trajectory/score";
import { trajectoryToJson } from "limbeck-base/trajectory/schema";
import type { TokenStream } from "limbeck-base/trajectory/trajectory";
import { agentFor } from "../agent.ts";
import type { UpdateContext } from "../context.ts";
import { seedOf } from "./provider.ts";
import { withWorlds, type Point } from "./worlds-at.ts";

export interface PlayedOn {
  /** Rewards of the steps from the point on. */
  readonly rewards: readonly number[];
  /** Of the whole episode. */
  readonly outcome: number;
}

/** `count` continuations of each point; those that were lost are left out. */
export async function playOn(points: readonly Point[], count: number, update: UpdateContext): Promise<PlayedOn[][]> {
  return await withWorlds(points, update, async (worlds) => {
    const found = points.map((): PlayedOn[] => []);
    const jobs = points.flatMap((point, at) =>
      worlds[at] === undefined ? [] : Array.from({ length: count }, (_, number) => ({ point, at, number })),
    );
    const strategy: Strategy = {
      run: async (scope) => {
        await scope.each(jobs, async (own, { point, at, number }) => {
          const walk = await own.resume(keptAt(point, at, number));
          await walk?.advance();
          const outcome = walk === undefined ? undefined : scoreValue(walk.reward);
          if (walk === undefined || outcome === undefined) return;
          const from = point.place.step.index;
          const rewards = walk.steps.filter(({ index }) => index >= from).map(({ reward }) => scoreValue(reward) ?? 0);
          found[at]?.push({ rewards, outcome });
        });
      },
    };
    await rollOut({
      env: forkedEnv(update.env, worlds),
      agent: agentFor(update, { temperature: 1 }),
      strategy,
      tasks: [],
      seed: `${seedOf(update)} continuations`,
      signal: update.signal,
      collect: false,
    });
    return found;
  });
}

/** The same world, in which a task opens where its point stands. */
function forkedEnv(env: Env, worlds: readonly (Episode | undefined)[]): Env {
  return {
    ...env,
    open: async (task) => {
      const world = worlds[Number(task.data?.["point"])];
      if (world !== undefined) return await world.fork();
      throw new EngineError("branch-point", `No world is kept for "${task.id}".`);
    },
  };
}

/**
 * The episode as if it had been suspended at the point. Its tokens become one stream, the context in hand; its steps are
 * marked as done, so that the world, which stands there already, does not take them again.
 */
function keptAt({ place, past, tokens }: Point, point: number, number: number): Suspended {
  const { trajectory, step, stream, start } = place;
  const end = start + tokens;
  const cut: TokenStream = { ids: stream.ids.slice(0, end), mask: new Uint8Array(end) };
  const unfinished = { ...step, span: { stream: 0, start, end }, info: { unfinished: true } };
  const done = past.map((before) => ({ ...before, info: { internal: true } }));
  const { parent: _parent, info: _info, ...rest } = trajectory;
  const id = `${trajectory.id}@${step.index}.${tokens}/${number}`;
  return {
    trajectory: trajectoryToJson({
      ...rest,
      id,
      task: { ...trajectory.task, id, data: { point } },
      steps: [...done, ...(tokens === 0 ? [] : [unfinished])],
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
