/** A rollout from the command line: choose, roll out, store, say what came of it. */
import { getStrategy } from "../../rollout/index.ts";
import { spendingKinds, type RollOutProgress } from "../../walk/index.ts";
import { DEFAULTS, rollout, type RolloutOptions } from "../../run/index.ts";
import { taskPool } from "../../store/index.ts";
import { scoreValue, tally, type JsonObject, type Task, type Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { formatCount, plural } from "../look/units.ts";
import { givenCount, maybeCount } from "../model/open-given.ts";
import { loadNatives } from "../natives.ts";
import { withLibrary } from "../skills/rollout-skills.ts";
import { givenPlace, withRun } from "../with-run.ts";
import { chosenAgent, type ChosenAgent } from "./chosen-agent.ts";
import { givenTasks, givenWorld } from "./given-world.ts";
import { episodeLimits, givenAmounts, givenStrategy } from "./rollout-options.ts";
import { sayRollout, tooFew, type Outcome } from "./say-rollout.ts";

interface Plan {
  readonly request: RolloutOptions & { readonly tasks: readonly Task[] };
  readonly chosen: ChosenAgent;
  /** Whether the strategy asks for episodes of other runs. */
  readonly pooled: boolean;
  /** What the run keeps of it all. */
  readonly config: JsonObject;
}

export async function runRollout(invocation: Invocation): Promise<number> {
  if (invocation.text("fleet") !== undefined) {
    return await (await import("./fleet-rollout.ts")).runFleetRollout(invocation);
  }
  const { request, chosen, pooled, config } = await planned(invocation);
  let [trajectories, judged, steps] = [0, 0, 0];
  const failed: Trajectory[] = [];
  let progress: RollOutProgress | undefined;
  const outcome = (): Outcome => ({ progress, trajectories, judged, steps, losses: tally(failed) });
  const bar = invocation.progress({ label: `Rolling out ${plural(request.tasks.length, "task")}` });
  const onEvent = (now: RollOutProgress): void => {
    progress = now;
    const tokens = now.spent.sampledTokens === 0 ? "" : `, ${formatCount(now.spent.sampledTokens)} tokens`;
    bar.update(now.episodes, `${formatCount(now.succeeded)} succeeded${tokens}`);
  };
  try {
    return await withRun(invocation, {
      place: givenPlace(invocation),
      begin: { kind: "rollout", config },
      collect: async (writer, store) => {
        const append = async (walked: Trajectory): Promise<void> => {
          const trajectory = (await chosen.finished?.(walked)) ?? walked;
          await writer.append(trajectory);
          trajectories += 1;
          if (trajectory.success !== null) judged += 1;
          if (trajectory.ending === "failed") failed.push({ ...trajectory, steps: [], streams: [] });
          steps += trajectory.steps.length;
          if (invocation.json) invocation.printJson(eventOf(trajectory));
        };
        try {
          const pool = pooled ? taskPool(store, { except: writer.run }) : undefined;
          progress = await rollout({ ...request, pool, sink: { append }, onEvent });
        } finally {
          bar.end();
        }
      },
      stored: () => trajectories,
      judge: () => tooFew(outcome()),
      say: (end) => sayRollout(invocation, outcome(), end),
    });
  } finally {
    await chosen.close();
  }
}

async function planned(invocation: Invocation): Promise<Plan> {
  const { id, world, options: envOptions, env } = await givenWorld(invocation, "rollout");
  const { name: strategy, options } = givenStrategy(invocation);
  const pooled = getStrategy(strategy).needs.includes("pool");
  // Episodes of other runs are asked for in the middle of the rollout.
  await loadNatives(pooled ? ["duckdb"] : []);
  const seed = givenCount(invocation, "seed", DEFAULTS.seed, 0);
  const limits = givenAmounts(invocation, "limit", spendingKinds, "limit");
  const tasks = await givenTasks(invocation, env, { option: "count", otherwise: DEFAULTS.tasks.rollout });
  const [attempts, concurrency] = [maybeCount(invocation, "attempts"), maybeCount(invocation, "concurrency")];
  const episode = episodeLimits(invocation);
  const chosen = await withLibrary(invocation, await chosenAgent(invocation, { command: "rollout", world, env: id }));
  const { agent } = chosen;
  return {
    request: {
      env,
      demonstrator: Object.values(world.demonstrators ?? {})[0],
      tasks,
      policy: agent,
      strategy,
      strategyOptions: options,
      seed,
      budget: limits,
      episode,
      attempts,
      concurrency,
      collect: false,
      signal: invocation.io.signal,
    },
    chosen,
    pooled,
    config: { env: id, envOptions, strategy, options, seed, limits, policy: { ...agent.ref } },
  };
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
