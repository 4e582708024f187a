/** Going on with an episode that was suspended: the world is replayed, the agent reads its own exact past. */
import { EngineError } from "../../base/index.ts";
import { trajectoryFromJson } from "../../trajectory/index.ts";
import type { Purse } from "../purse.ts";
import { replayWorld } from "./open-world.ts";
import type { Home, Runtime } from "./runtime.ts";
import type { Suspended, Walk } from "./walk.ts";

export async function resumeWalk(
  runtime: Runtime,
  { trajectory: json, label }: Suspended,
  { home, purse, order }: { readonly home: Home; readonly purse: Purse; readonly order: number },
): Promise<Walk | undefined> {
  const kept = trajectoryFromJson(json, `suspended walk "${label}"`);
  const { agent, seed } = runtime;
  if (agent.resume === undefined) {
    throw new EngineError("cannot-resume", `The agent of policy "${agent.ref.name}" cannot go on with an episode.`);
  }
  const { id, task, group, info: { stopped: _stopped, ...info } = {} } = kept;
  const steps = kept.steps.filter((step) => step.info?.["unfinished"] !== true);
  const actions = steps.filter((step) => step.info?.["internal"] !== true).map(({ action }) => action);
  const paid = purse.reserve("envSteps", actions.length);
  purse.settle("envSteps", paid, paid < actions.length ? 0 : paid);
  if (paid < actions.length) return undefined;
  const leash = runtime.watchdog.leash();
  const opened = await replayWorld(runtime, task, actions, kept.closing?.observation, leash);
  const mind = agent.resume(task, `${seed} ${id} ${kept.steps.length}`, kept);
  const tokens = kept.steps.reduce((total, { usage }) => total + (usage?.completionTokens ?? 0), 0);
  return await runtime.start({
    home,
    id,
    task,
    group,
    label,
    parent: undefined,
    before: [],
    own: steps,
    ...opened,
    mind,
    leash,
    purse,
    order,
    tokens,
    bookmarks: false,
    info,
    hasRead: true,
    inherited: 0,
  });
}
