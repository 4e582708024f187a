/** `limbeck rollout --fleet`: the same rollout, played by workers. */
import { usageError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { AgentSpec } from "limbeck-remote/fleet/job";
import { parkedError, type Parked } from "limbeck-remote/fleet/parked";
import { describePolicy } from "limbeck-remote/fleet/policy-files";
import { rollOutOnFleet, type FleetProgress, type FleetRequest } from "limbeck-remote/fleet/roll-out-on-fleet";
import { givenTasks, givenWorld, namedPolicy, type AgentPlace } from "./given-parts.ts";
import { DEFAULTS } from "./defaults.ts";
import { placeFor, withRun } from "limbeck-store/store/with-run";
import type { RunWriter, Store } from "limbeck-store/store/store";
import type { JsonObject } from "limbeck-base/base/json";
import { formatCount, plural } from "limbeck-base/base/units";
import { episodeLimits, givenStrategy } from "./roll-into-run.ts";
import { reportRollout, tooFew } from "./rollout-outcome.ts";
import type { RolloutContext, RolloutInput, RolloutOutcome } from "./rollout.inputs.ts";

type FleetInput = RolloutInput & { readonly fleet: string };
type Request = Omit<FleetRequest, "run" | "deliver">;

export async function rollIntoRunOnFleet(input: FleetInput, context: RolloutContext): Promise<void> {
  const request = await requested(input, context);
  const { tasks } = request;
  let progress: FleetProgress | undefined;
  let parked: readonly Parked[] = [];
  const outcome = (): RolloutOutcome => {
    const { trajectories = 0, judged = 0, steps = 0, succeeded = 0, failed = 0, sampledTokens = 0 } = progress ?? {};
    return {
      progress: { succeeded, failed, spent: { envSteps: steps, sampledTokens } },
      trajectories,
      judged,
      steps,
    };
  };
  const label = `Rolling out ${plural(tasks.length, "task")} on the fleet`;
  const bar = context.progress({ label, total: tasks.length });
  await withRun(context, {
    place: placeFor(context, input.run, input.dir),
    begin: (store, id) => openOrCreate(store, id, request),
    collect: async (writer, store) => {
      try {
        const result = await rollOutOnFleet({
          ...request,
          ...deliveryTo(input, writer, store),
          run: writer.run,
          signal: context.signal,
          onProgress: (now) => {
            progress = now;
            const words = `${formatCount(now.succeeded)} of ${formatCount(now.episodes)} succeeded`;
            bar.update(now.done + now.parked, words);
          },
          onNotice: (message) => {
            context.emit({ event: "notice", message });
            context.note(`! ${message}`);
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
    say: (end) => reportRollout(context, outcome(), end, { parked }),
  });
}

async function requested(input: FleetInput, context: RolloutContext): Promise<Request> {
  const { seed, attempts = DEFAULTS.attempts, concurrency = DEFAULTS.concurrency, queueLimit } = input;
  const [stray] = (["reward", "rewards"] as const).filter((name) => input[name] !== undefined);
  if (context.given("budget") || context.given("limit")) {
    throw usageError("--budget is for rollouts of one process: workers share no purse. Limit the episodes instead.");
  }
  if (input.experts !== undefined) {
    throw usageError("--experts is for rollouts of one process: workers do not have them. Leave out --fleet.");
  }
  if (stray !== undefined) {
    throw usageError(`--${stray} is for rollouts of one process: workers store the world's own. Leave out --fleet.`);
  }
  const { id, world, options, env } = await givenWorld("rollout", input, context);
  return {
    redis: input.fleet,
    env: { id, options: options as never },
    tasks: await givenTasks(env, "rollout", { ...input, signal: context.signal }),
    strategy: givenStrategy(input),
    seed,
    prefix: "",
    agent: await describedAgent(input, context, { command: "rollout", world, env: id }),
    peers: 0,
    episode: { ...episodeLimits(input) },
    attempts,
    concurrency,
    ...withoutUndefined({ queueLimit }),
  };
}

/** Who acts, in words that a worker understands. */
async function describedAgent(input: RolloutInput, context: RolloutContext, place: AgentPlace): Promise<AgentSpec> {
  const named = await namedPolicy(input.policy, input, place, context);
  if (named.kind !== "model") return named;
  const { kind, folder, speech } = named;
  return { kind, policy: await describePolicy(folder, 0, [{ kind: "folder", path: folder }]), speech };
}

function deliveryTo(
  { deliver = "store" }: RolloutInput,
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
  return lookUp(ways, deliver, "way");
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
