/** `limbeck rollout --fleet`: the same rollout, played by workers. */
import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { EngineError, isAbort, lookUp } from "../../base/index.ts";
import type { World } from "../../env/index.ts";
import {
  describePolicy,
  parkedError,
  rollOutOnFleet,
  type AgentSpec,
  type FleetProgress,
  type FleetRequest,
  type Speech,
} from "../../fleet/index.ts";
import type { RunWriter, Store } from "../../store/store.ts";
import type { JsonObject } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT, exitCodeFor } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatCount, plural } from "../look/units.ts";
import { givenCount, givenNumber } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { withStore } from "../with-store.ts";
import { givenTasks, givenWorld } from "./given-world.ts";
import { episodeLimits, say, strategyOptions, withLosses } from "./run-rollout.ts";

export async function runFleetRollout(invocation: Invocation): Promise<number> {
  const request = await requested(invocation);
  const dir = invocation.text("dir");
  const folder = dir === undefined ? undefined : resolve(invocation.io.cwd, dir);
  const root = folder === undefined ? invocation.storeRoot : dirname(folder);
  const id = folder === undefined ? invocation.text("run") : basename(folder);
  return await withStore(root, (store) => collect(invocation, store, { ...request, run: id ?? "" }));
}

async function requested(invocation: Invocation): Promise<Omit<FleetRequest, "run" | "deliver">> {
  if (invocation.texts("limit").length > 0) {
    throw usageError("--limit is for rollouts of one process: workers share no purse. Limit the episodes instead.");
  }
  if (invocation.text("experts") !== undefined) {
    throw usageError("--experts is for rollouts of one process: workers do not have them. Leave out --fleet.");
  }
  const { id, world, options, env } = await givenWorld(invocation, "rollout");
  const strategy = invocation.text("strategy") ?? "group";
  const tasks = await givenTasks(invocation, env, { option: "count", otherwise: 8 });
  return {
    redis: invocation.text("fleet") ?? "",
    env: { id, options: options as never },
    tasks,
    strategy: { name: strategy, options: strategyOptions(invocation, strategy) },
    seed: givenCount(invocation, "seed", 0, 0),
    prefix: "",
    agent: await describedAgent(invocation, id, world),
    peers: 0,
    episode: { ...episodeLimits(invocation) },
    attempts: givenCount(invocation, "attempts", 3),
    concurrency: givenCount(invocation, "concurrency", 64),
  };
}

/** Who acts, in words that a worker understands. */
async function describedAgent(invocation: Invocation, id: string, world: World): Promise<AgentSpec> {
  const name = invocation.text("policy");
  const scripts = Object.keys(world.demonstrators ?? {});
  if (name === undefined || name === "") {
    throw usageError(
      `"limbeck rollout" needs --policy: a model folder, bundled, chat, or a scripted agent (${scripts.join(", ")}).`,
    );
  }
  if (scripts.includes(name)) return { kind: "script", name };
  if (name === "chat") return { kind: "chat", speech: speechOf(invocation, 1_024) };
  const { bundledModel, bundledModelFor } = await import("../../policy/local/bundled-model.ts");
  const folder = name === "bundled" ? bundledModel(bundledModelFor(id)) : resolve(invocation.io.cwd, name);
  if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true) {
    const known = ["bundled", "chat", ...scripts].join(", ");
    throw new EngineError("unknown-name", `No policy "${name}": it is no model folder, and none of ${known}.`);
  }
  const policy = await describePolicy(folder, 0, [{ kind: "folder", path: folder }]);
  return { kind: "model", policy, speech: speechOf(invocation, 64) };
}

function speechOf(invocation: Invocation, answerTokens: number): Speech {
  const system = invocation.text("system");
  const hot = invocation.text("temperature");
  return {
    prompts: invocation.text("prompts") ?? "append",
    history: givenCount(invocation, "history", 4, 0),
    form: invocation.text("form") ?? "plain",
    answerTokens: givenCount(invocation, "max-tokens", answerTokens),
    restrict: invocation.flag("restrict"),
    ...(system === undefined ? {} : { system }),
    ...(hot === undefined ? {} : { temperature: givenNumber(invocation, "temperature", { otherwise: 1, low: 0 }) }),
  };
}

async function collect(invocation: Invocation, store: Store, request: Omit<FleetRequest, "deliver">): Promise<number> {
  const started = invocation.io.now();
  const writer = await openOrCreate(store, request);
  const ways = {
    store: { deliver: { to: "store", root: store.root } },
    caller: {
      deliver: { to: "caller" },
      onEpisodes: async (episodes, key) => {
        for (const episode of episodes) await writer.append(episode);
        await writer.commit({ key });
      },
    },
  } as const satisfies Record<string, Pick<FleetRequest, "deliver" | "onEpisodes">>;
  const way: Pick<FleetRequest, "deliver" | "onEpisodes"> = lookUp(ways, invocation.text("deliver") ?? "store", "way");
  const bar = invocation.progress({
    label: `Rolling out ${plural(request.tasks.length, "task")} on the fleet`,
    total: request.tasks.length,
  });
  let progress: FleetProgress | undefined;
  let fault: unknown;
  let parked: readonly object[] = [];
  try {
    const result = await rollOutOnFleet({
      ...request,
      ...way,
      run: writer.run,
      signal: invocation.io.signal,
      onProgress: (now) => {
        progress = now;
        bar.update(now.done + now.parked, `${formatCount(now.succeeded)} of ${formatCount(now.episodes)} succeeded`);
      },
      onNotice: (message) => invocation.note(`! ${cleanLine(message)}`),
    });
    parked = result.givenUp;
    if (result.givenUp.length > 0) fault = parkedError(result.givenUp, request.tasks.length);
  } catch (error) {
    fault = error;
  }
  bar.end();
  await writer.close();
  const durationMs = Math.round(invocation.io.now() - started);
  const { trajectories = 0, judged = 0, steps = 0, succeeded = 0, failed = 0, sampledTokens = 0 } = progress ?? {};
  const spent = { envSteps: steps, sampledTokens };
  const outcome = withLosses({ progress: { succeeded, failed, spent }, trajectories, judged, steps, fault });
  if (trajectories === 0) await store.deleteRun(writer.run).catch(() => undefined);
  say(invocation, outcome, trajectories === 0 ? null : writer.run, durationMs, { parked });
  if (outcome.fault === undefined) return EXIT.done;
  if (!isAbort(outcome.fault)) invocation.report(outcome.fault);
  return isAbort(outcome.fault) ? EXIT.interrupted : exitCodeFor(outcome.fault);
}

/** A run that is there is continued: what it holds already is not stored again. */
async function openOrCreate(
  store: Store,
  { run, tasks: _tasks, ...config }: Omit<FleetRequest, "deliver">,
): Promise<RunWriter> {
  const there = run !== "" && (await store.runs({ only: run })).length > 0;
  if (there) return await store.openRun(run);
  const { redis: _redis, ...kept } = config;
  return await store.createRun({
    kind: "rollout",
    config: JSON.parse(JSON.stringify(kept)) as JsonObject,
    ...(run === "" ? {} : { id: run }),
  });
}
