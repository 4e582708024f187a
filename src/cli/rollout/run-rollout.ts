/** A rollout from the command line: choose, roll out, store, say what came of it. */
import { withoutUndefined } from "../../base/index.ts";
import { assistantsOf } from "../../update/assistants.ts";
import {
  createStrategy,
  getStrategy,
  rollOut,
  spendingKinds,
  type RollOutOptions,
  type RollOutProgress,
} from "../../rollout/index.ts";
import { taskPool } from "../../store/index.ts";
import type { Store } from "../../store/store.ts";
import { scoreValue, tally, type JsonObject, type Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { formatCount, plural } from "../look/units.ts";
import { givenCount, maybeCount } from "../model/open-given.ts";
import { loadNatives } from "../natives.ts";
import { withLibrary } from "../skills/rollout-skills.ts";
import { givenPlace, withRun } from "../with-run.ts";
import { chosenAgent, type ChosenAgent } from "./chosen-agent.ts";
import { givenTasks, givenWorld } from "./given-world.ts";
import { ATTEMPTS, episodeLimits, givenAmounts, givenStrategy } from "./rollout-options.ts";
import { sayRollout, tooFew, type Outcome } from "./say-rollout.ts";

interface Plan {
  readonly request: RollOutOptions;
  readonly chosen: ChosenAgent;
  /** Whom the strategy asks: the world's demonstrator, and for episodes of other runs the store itself. */
  readonly partners: (store: Store, run: string) => ReturnType<typeof assistantsOf>;
  /** What the run keeps of it all. */
  readonly config: JsonObject;
}

export async function runRollout(invocation: Invocation): Promise<number> {
  if (invocation.text("fleet") !== undefined) {
    return await (await import("./fleet-rollout.ts")).runFleetRollout(invocation);
  }
  const { request, chosen, partners, config } = await planned(invocation);
  let [trajectories, judged, steps] = [0, 0, 0];
  const failed: Trajectory[] = [];
  let progress: RollOutProgress | undefined;
  const outcome = (): Outcome => ({ progress, trajectories, judged, steps, losses: tally(failed) });
  const bar = invocation.progress({ label: `Rolling out ${plural(request.tasks.length, "task")}` });
  const onProgress = (now: RollOutProgress): void => {
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
          progress = await rollOut({ ...request, ...partners(store, writer.run), sink: { append }, onProgress });
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
  const { needs } = getStrategy(strategy);
  const pooled = needs.includes("pool");
  // Episodes of other runs are asked for in the middle of the rollout.
  await loadNatives(pooled ? ["duckdb"] : []);
  const seed = givenCount(invocation, "seed", 0, 0);
  const limits = givenAmounts(invocation, "limit", spendingKinds, "limit");
  const tasks = await givenTasks(invocation, env, { option: "count", otherwise: 8 });
  const episode = episodeLimits(invocation);
  const given = withoutUndefined({ concurrency: maybeCount(invocation, "concurrency") });
  const attempts = givenCount(invocation, "attempts", ATTEMPTS);
  const chosen = await withLibrary(invocation, await chosenAgent(invocation, { command: "rollout", world, env: id }));
  const { agent } = chosen;
  return {
    request: {
      env,
      tasks,
      agent,
      strategy: createStrategy(strategy, options),
      seed,
      limits,
      episode,
      attempts,
      ...given,
      collect: false,
      signal: invocation.io.signal,
    },
    chosen,
    partners: (store, run) => ({
      ...assistantsOf({
        env,
        agent,
        demonstrator: Object.values(world.demonstrators ?? {})[0],
        needs: needs.filter((need) => need !== "pool"),
        seed: String(seed),
        peers: 0,
        episode,
      }),
      ...(pooled ? { pool: taskPool(store, { except: run }) } : {}),
    }),
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
