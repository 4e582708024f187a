/** `limbeck rollout --fleet`: the same rollout, played by workers. */
import { lookUp, withoutUndefined } from "../../base/index.ts";
import {
  describePolicy,
  rollOutOnFleet,
  type AgentSpec,
  type FleetProgress,
  type FleetRequest,
  type Parked,
} from "../../fleet/index.ts";
import { parkedError } from "../../fleet/parked.ts";
import { DEFAULTS } from "../../run/index.ts";
import type { RunWriter, Store } from "../../store/store.ts";
import type { JsonObject } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatCount, plural } from "../look/units.ts";
import { givenCount, maybeCount } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { givenPlace, withRun } from "../with-run.ts";
import { givenTasks, givenWorld } from "./given-world.ts";
import { namedPolicy, type AgentPlace } from "./chosen-agent.ts";
import { episodeLimits, givenStrategy } from "./rollout-options.ts";
import { sayRollout, tooFew, type Outcome } from "./say-rollout.ts";

type Request = Omit<FleetRequest, "run" | "deliver">;

export async function runFleetRollout(invocation: Invocation): Promise<number> {
  const request = await requested(invocation);
  const { tasks } = request;
  let progress: FleetProgress | undefined;
  let parked: readonly Parked[] = [];
  const outcome = (): Outcome => {
    const { trajectories = 0, judged = 0, steps = 0, succeeded = 0, failed = 0, sampledTokens = 0 } = progress ?? {};
    return {
      progress: { succeeded, failed, spent: { envSteps: steps, sampledTokens } },
      trajectories,
      judged,
      steps,
    };
  };
  const label = `Rolling out ${plural(tasks.length, "task")} on the fleet`;
  const bar = invocation.progress({ label, total: tasks.length });
  return await withRun(invocation, {
    place: givenPlace(invocation),
    begin: (store, id) => openOrCreate(store, id, request),
    collect: async (writer, store) => {
      try {
        const result = await rollOutOnFleet({
          ...request,
          ...deliveryTo(invocation, writer, store),
          run: writer.run,
          signal: invocation.io.signal,
          onProgress: (now) => {
            progress = now;
            const words = `${formatCount(now.succeeded)} of ${formatCount(now.episodes)} succeeded`;
            bar.update(now.done + now.parked, words);
          },
          onNotice: (message) => {
            if (invocation.json) invocation.printJson({ event: "notice", message });
            else invocation.note(`! ${cleanLine(message)}`);
          },
        });
        parked = result.givenUp;
      } finally {
        bar.end();
      }
      if (parked.length > 0) throw parkedError(parked, tasks.length);
    },
    stored: () => outcome().trajectories,
    judge: () => tooFew(outcome()),
    say: (end) => sayRollout(invocation, outcome(), end, { parked }),
  });
}

async function requested(invocation: Invocation): Promise<Request> {
  if ([...invocation.texts("budget"), ...invocation.texts("limit")].length > 0) {
    throw usageError("--budget is for rollouts of one process: workers share no purse. Limit the episodes instead.");
  }
  if (invocation.text("experts") !== undefined) {
    throw usageError("--experts is for rollouts of one process: workers do not have them. Leave out --fleet.");
  }
  const stray = ["reward", "rewards"].find((option) => invocation.text(option) !== undefined);
  if (stray !== undefined) {
    throw usageError(`--${stray} is for rollouts of one process: workers store the world's own. Leave out --fleet.`);
  }
  const { id, world, options, env } = await givenWorld(invocation, "rollout");
  return {
    redis: invocation.text("fleet") ?? "",
    env: { id, options: options as never },
    tasks: await givenTasks(invocation, env, "rollout", "count"),
    strategy: givenStrategy(invocation),
    seed: givenCount(invocation, "seed", DEFAULTS.seed, 0),
    prefix: "",
    agent: await describedAgent(invocation, { command: "rollout", world, env: id }),
    peers: 0,
    episode: { ...episodeLimits(invocation) },
    attempts: givenCount(invocation, "attempts", DEFAULTS.attempts),
    concurrency: givenCount(invocation, "concurrency", DEFAULTS.concurrency),
    ...withoutUndefined({ queueLimit: maybeCount(invocation, "queue-limit") }),
  };
}

/** Who acts, in words that a worker understands. */
async function describedAgent(invocation: Invocation, place: AgentPlace): Promise<AgentSpec> {
  const named = await namedPolicy(invocation, place);
  if (named.kind !== "model") return named;
  const { kind, folder, speech } = named;
  return { kind, policy: await describePolicy(folder, 0, [{ kind: "folder", path: folder }]), speech };
}

function deliveryTo(
  invocation: Invocation,
  writer: RunWriter,
  store: Store,
): Pick<FleetRequest, "deliver" | "onEpisodes"> {
  const ways: Readonly<Record<string, Pick<FleetRequest, "deliver" | "onEpisodes">>> = {
    store: { deliver: { to: "store", root: store.root } },
    caller: {
      deliver: { to: "caller" },
      onEpisodes: async (episodes, key) => {
        for (const episode of episodes) await writer.append(episode);
        await writer.commit({ key });
      },
    },
  };
  return lookUp(ways, invocation.text("deliver") ?? "store", "way");
}

/** A run that is there is continued: what it holds already is not stored again. */
async function openOrCreate(
  store: Store,
  id: string | undefined,
  { tasks: _tasks, redis: _redis, queueLimit: _limit, ...config }: Request,
): Promise<RunWriter> {
  if (id !== undefined && id !== "" && (await store.runs({ only: id })).length > 0) return await store.openRun(id);
  return await store.createRun({
    kind: "rollout",
    config: JSON.parse(JSON.stringify(config)) as JsonObject,
    ...(id === undefined || id === "" ? {} : { id }),
  });
}
