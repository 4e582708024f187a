/** Walks that leave from another, or from what was kept of one: their world is copied, or made again by replaying it. */
import { EngineError, errorCode, throwIfAborted } from "limbeck-base/base/errors";
import type { Episode } from "../../env/env.ts";
import { trajectoryFromJson } from "limbeck-base/trajectory/schema";
import type { Parent, Step, Task } from "limbeck-base/trajectory/trajectory";
import type { BranchPoint } from "../mind/agent.ts";
import { paySteps } from "../pay.ts";
import type { Purse } from "../purse.ts";
import { closeWorld, copyWorld, replayWorld, worldSteps, type Seen, type WorldSource } from "../worlds.ts";
import type { Home, LiveWalk, Runtime, WalkState } from "./runtime.ts";
import type { ForkStart, Suspended, Walk } from "./strategy.ts";

/** An independent walk from the present point of another. */
export async function forkWalk(walk: LiveWalk, label: string, start: ForkStart): Promise<Walk | undefined> {
  const { runtime, world, mind, task } = walk;
  throwIfAborted(runtime.signal);
  if (walk.ending !== undefined || world === undefined || !canPay(walk)) return undefined;
  if (!payForSharing(walk.purse, mind.context().length)) return undefined;
  const { said } = mind;
  const copy = await worldAt(runtime, task, walk.purse, { before: walk.episode, seen: walk, there: world });
  if (copy === undefined) return undefined;
  const parent: Parent = {
    trajectory: walk.id,
    step: walk.depth,
    ...(said === 0 ? {} : { token: said - inherited(walk, walk.depth) }),
  };
  const own = mind.fork(`${walk.id}.${label}`);
  return await runtime.start(
    { ...branchState(walk, label, start), parent, before: walk.episode, ...copy, mind: own, inherited: said },
    walk,
  );
}

/** An independent walk from an earlier point of another. */
export async function branchWalk(
  walk: LiveWalk,
  point: BranchPoint,
  label: string,
  start: ForkStart,
): Promise<Walk | undefined> {
  const { runtime, task, purse } = walk;
  throwIfAborted(runtime.signal);
  const seen = checkPoint(walk, point);
  if (!canPay(walk)) return undefined;
  const before = walk.episode.slice(0, point.step);
  const place = { before, seen, there: walk.bookmarks?.get(point.step) };
  const world = await worldAt(runtime, task, purse, place);
  if (world === undefined) return undefined;
  const base = inherited(walk, point.step);
  const kept = point.guidance === undefined ? base + (point.token ?? 0) : 0;
  const mind = walk.mind.branch({ ...point, token: kept }, `${runtime.seed} ${walk.id}.${label}`);
  if (!payForSharing(purse, mind.sharedTokens)) {
    mind.close();
    world.calls.release();
    await closeWorld(world.world);
    return undefined;
  }
  const parent: Parent = { trajectory: walk.id, step: point.step, ...(kept === 0 ? {} : { token: kept - base }) };
  const info = point.guidance === undefined ? {} : { guidance: point.guidance };
  const own = walk.steps.slice(0, point.step - walk.state.before.length);
  const tokens = walk.state.tokens + saidIn(own) + kept - base;
  return await runtime.start(
    {
      ...branchState(walk, label, { ...start, info: { ...info, ...start.info } }),
      parent,
      before,
      tokens,
      mind,
      inherited: kept,
      ...world,
    },
    walk,
  );
}

/** Goes on with an episode that was suspended: the agent reads its own exact past. Undefined when it cannot be paid. */
export async function resumeWalk(
  runtime: Runtime,
  { trajectory: json, label }: Suspended,
  place: { readonly home: Home; readonly purse: Purse; readonly order: number },
): Promise<Walk | undefined> {
  const kept = trajectoryFromJson(json, `suspended walk "${label}"`);
  const { agent, seed } = runtime;
  if (agent.resume === undefined) {
    throw new EngineError("cannot-resume", `The agent of policy "${agent.ref.name}" cannot go on with an episode.`);
  }
  const { id, task, group, info: { stopped: _stopped, ...info } = {} } = kept;
  const steps = kept.steps.filter((step) => step.info?.["unfinished"] !== true);
  // An answer that was begun holds its observation; else the closing does, whose state key was not kept.
  const begun = kept.steps.find((step) => step.info?.["unfinished"] === true);
  const closing = begun ?? { observation: kept.closing?.observation ?? "", stateKey: undefined };
  const world = await worldAt(runtime, task, place.purse, { before: steps, seen: closing, there: undefined });
  if (world === undefined) return undefined;
  return await runtime.start({
    ...place,
    id,
    task,
    group,
    label,
    info,
    parent: undefined,
    before: [],
    own: steps,
    ...world,
    mind: agent.resume(task, `${seed} ${id} ${kept.steps.length}`, kept),
    tokens: saidIn(kept.steps),
    bookmarks: false,
    guarded: false,
    hasRead: true,
    inherited: 0,
  });
}

function saidIn(steps: readonly Step[]): number {
  return steps.reduce((total, { usage }) => total + (usage?.completionTokens ?? 0), 0);
}

/** Context that a branch shares instead of reading it; false, and nothing spent, when it is not all there. */
function payForSharing(purse: Purse, tokens: number): boolean {
  const paid = purse.reserve("reusedTokens", tokens);
  purse.settle("reusedTokens", paid, paid < tokens ? 0 : paid);
  return paid === tokens;
}

/** Tokens of a step's answer that stand in the parent's trajectory. */
function inherited(walk: LiveWalk, step: number): number {
  return step === walk.state.before.length ? walk.state.inherited : 0;
}

function branchState(
  walk: LiveWalk,
  label: string,
  { info = {}, safe }: ForkStart,
): Omit<WalkState, "parent" | "before" | "world" | "mind" | "calls" | "inherited"> {
  const { task, group, purse, temperature, tokens } = walk;
  const { home, order, bookmarks, guarded } = walk.state;
  const own = { id: `${walk.id}.${label}`, label, own: [], hasRead: true, info, guarded: safe ?? guarded };
  return { ...own, home, task, group, purse, temperature, order, tokens, bookmarks };
}

/** A branch that could not take a step would only be litter. */
function canPay({ purse, runtime }: LiveWalk): boolean {
  const silent = runtime.agent.answerTokens === 0;
  const canSay = silent || (purse.left("sampledTokens") >= 1 && purse.left("modelCalls") >= 1);
  return canSay && purse.left("envSteps") >= 1 && purse.left("seconds") > 0;
}

/** What was seen at the point. */
function checkPoint(walk: LiveWalk, { step, token, guidance }: BranchPoint): Seen {
  const first = walk.state.before.length;
  const wrong = (why: string): EngineError =>
    new EngineError("branch-point", `Walk "${walk.id}" cannot be branched at step ${step}: ${why}.`);
  const taken = walk.steps[step - first];
  if (taken === undefined) throw wrong(`its own steps are ${first} to ${walk.depth - 1}`);
  if (token === undefined) return taken;
  if (guidance !== undefined) throw wrong("guidance writes the message anew, so no token of the answer can be kept");
  const length = taken.span === undefined ? 0 : taken.span.end - taken.span.start;
  if (Number.isInteger(token) && token >= 0 && token < length) return taken;
  throw wrong(`it keeps ${token} tokens of an answer of ${length}; the last one cannot be kept`);
}

/** A point of an episode: the steps before it, what is seen there, and the world that stands there, if there is one. */
interface WorldPoint {
  readonly before: readonly Step[];
  readonly seen: Seen;
  readonly there: Episode | undefined;
}

/**
 * A world of one's own at a point: a copy of the one that is there, or where there is none, or it cannot be copied, the
 * actions once more, which costs environment steps. Undefined when those cannot be paid. What fails is kept as a failure.
 */
async function worldAt(
  runtime: Runtime,
  task: Task,
  purse: Purse,
  { before, seen, there }: WorldPoint,
): Promise<Pick<WalkState, "world" | "failure" | "calls"> | undefined> {
  const calls = runtime.calls(task);
  const source = { ...runtime, task, calls };
  try {
    if (there !== undefined) return { world: await copyWorld(source, there), calls };
  } catch (error) {
    throwIfAborted(source.signal);
    if (errorCode(error) === "cannot-fork") throw mustNotBranch(source, error);
  }
  if (paySteps(purse, worldSteps(before))) {
    return { ...(await tryWorld(source.signal, replayWorld(source, before, seen))), calls };
  }
  calls.release();
  return undefined;
}

/** A world may refuse to be copied because its past must not happen twice: then it is not replayed either. */
function mustNotBranch({ env, task }: WorldSource, cause: unknown): EngineError {
  return new EngineError(
    "cannot-fork",
    `The world of task "${task.id}" in "${env.id}" must not be copied; choose a strategy without branches, "group" for example.`,
    { cause, details: { env: env.id, task: task.id } },
  );
}

/** A world that fails, hangs or answers nonsense gives a failure, never a rejection. */
export async function tryWorld(
  signal: AbortSignal,
  making: Promise<Episode>,
): Promise<Pick<WalkState, "world" | "failure">> {
  try {
    return { world: await making };
  } catch (error) {
    throwIfAborted(signal);
    return { world: undefined, failure: error };
  }
}
