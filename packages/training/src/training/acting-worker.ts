/** The program of the acting thread: opens the world and the model, plays the requested episodes, with the weights it is sent. */
import { parentPort, workerData } from "node:worker_threads";
import { errorData } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { holdProcess } from "limbeck-base/base/parts/hold-process";
import { loadParts } from "limbeck-base/base/parts/load-part";
import { getWorld } from "limbeck-worlds/index";
import { demonstratorsOf } from "limbeck-core/env/world";
import { createChatDialect } from "limbeck-policy/policy/local/chat-dialect";
import { openModel, requireTokenizer } from "limbeck-policy/policy/local/open-model";
import { createStrategy } from "limbeck-core/rollout/registry";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { ActingData, ActingSetup, FromActing, ToActing } from "./play-ahead.ts";
import { headsOf } from "./local.ts";
import { getCredit } from "limbeck-core/credit/registry";
import { agentFor, tellingSkills } from "limbeck-core/update/agent";
import { play } from "limbeck-core/update/collect";
import { cut } from "limbeck-core/update/context";
import { strategySettings } from "limbeck-core/recipe/settings";

const say = (message: FromActing): void => parentPort?.postMessage(message, []);

async function open({
  model: folder,
  credit,
  strategy: name,
  settings,
  world: { id, options },
  ...engine
}: ActingSetup) {
  const world = await getWorld(id);
  const env = cut(await world.create(options), settings.maxSteps);
  const model = await openModel(folder, {
    ...withoutUndefined({ threads: engine.threads, draft: engine.draft }),
    ...headsOf({ credit: getCredit(credit), settings }),
  });
  const dialect = await createChatDialect(requireTokenizer(model));
  const strategy = createStrategy(name, strategySettings(settings, name));
  const demonstrator = Object.values(demonstratorsOf(world, env))[0];
  const peers = settings.group;
  const act = async (message: ToActing & { kind: "play" }, signal: AbortSignal): Promise<readonly Trajectory[]> => {
    const { assignment, version, weights } = message;
    if (weights !== undefined) {
      model.weights.flat.set(weights);
      model.replaced(version);
    }
    const { tasks, seed, prefix, skills } = assignment;
    const agent = agentFor({ model, dialect, settings }, { tell: tellingSkills(skills) });
    const played = { env, demonstrator, agent, strategy, tasks, seed, prefix, peers, signal };
    return (await play(played)).trajectories;
  };
  return { act, close: () => model.close() };
}

try {
  const { parts, ...setup } = workerData as ActingData;
  // Code of a user's file may not end this thread, as little as the process of a command.
  if (parts.length > 0)
    holdProcess().broken.catch((error: unknown) => say({ kind: "failed", error: errorData(error) }));
  await loadParts(parts);
  const acting = await open(setup);
  let stop = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  parentPort?.on("message", (message: ToActing) => {
    if (message.kind === "play") {
      last = last
        .then(() => acting.act(message, stop.signal))
        .then((trajectories) => say({ kind: "played", id: message.id, trajectories }))
        .catch((error: unknown) => say({ kind: "failed", id: message.id, error: errorData(error) }));
      return;
    }
    stop.abort();
    if (message.kind === "stop") {
      stop = new AbortController();
      return;
    }
    void last.then(() => acting.close()).then(() => parentPort?.close());
  });
  say({ kind: "ready" });
} catch (error) {
  say({ kind: "failed", error: errorData(error) });
}
