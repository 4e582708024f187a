/** Branches: an independent walk from the present point of another, or from an earlier one. */
import { EngineError, throwIfAborted } from "../../base/index.ts";
import type { Episode } from "../../env/env.ts";
import type { Parent, Step } from "../../trajectory/index.ts";
import type { BranchPoint } from "../mind/agent.ts";
import type { LiveWalk, WalkState } from "./runtime.ts";
import { replayWorld } from "./open-world.ts";
import type { Leash } from "../watchdog.ts";
import type { ForkStart, Walk } from "./walk.ts";

export async function forkWalk(walk: LiveWalk, label: string, start: ForkStart): Promise<Walk | undefined> {
  const { runtime, world, mind, purse } = walk;
  throwIfAborted(runtime.signal);
  if (walk.ending !== undefined || world === undefined || !canPay(walk)) return undefined;
  const shared = mind.context().length;
  const paid = purse.reserve("reusedTokens", shared);
  if (paid < shared) {
    purse.settle("reusedTokens", paid, 0);
    return undefined;
  }
  purse.settle("reusedTokens", paid, shared);
  const id = `${walk.id}.${label}`;
  const { said } = mind;
  const leash = runtime.watchdog.leash();
  const copy = await copyWorld(walk, world, leash);
  const own = mind.fork(id);
  const parent: Parent = {
    trajectory: walk.id,
    step: walk.depth,
    ...(said === 0 ? {} : { token: said - inherited(walk, walk.depth) }),
  };
  const before = walk.episode;
  return await runtime.start(
    { ...branchState(walk, start), id, label, parent, before, world: copy, leash, mind: own, inherited: said },
    walk,
  );
}

export async function branchWalk(
  walk: LiveWalk,
  point: BranchPoint,
  label: string,
  start: ForkStart,
): Promise<Walk | undefined> {
  const { runtime, purse } = walk;
  throwIfAborted(runtime.signal);
  checkPoint(walk, point);
  if (!canPay(walk)) return undefined;
  const before = walk.episode.slice(0, point.step);
  const leash = runtime.watchdog.leash();
  const world = await worldAt(walk, point.step, before, leash);
  if (world === undefined) {
    leash.release();
    return undefined;
  }
  const id = `${walk.id}.${label}`;
  const base = inherited(walk, point.step);
  const kept = point.guidance === undefined ? base + (point.token ?? 0) : 0;
  const mind = walk.mind.branch({ ...point, token: kept }, `${runtime.seed} ${id}`);
  const shared = mind.sharedTokens;
  const paid = purse.reserve("reusedTokens", shared);
  purse.settle("reusedTokens", paid, paid < shared ? 0 : shared);
  if (paid < shared) {
    mind.close();
    leash.release();
    await world.world?.close().catch(() => undefined);
    return undefined;
  }
  const parent: Parent = {
    trajectory: walk.id,
    step: point.step,
    ...(kept === 0 ? {} : { token: kept - base }),
  };
  const info = point.guidance === undefined ? {} : { guidance: point.guidance };
  const own = walk.steps.slice(0, point.step - walk.state.before.length);
  const tokens =
    own.reduce((total, step) => total + (step.usage?.completionTokens ?? 0), walk.state.tokens) + kept - base;
  return await runtime.start(
    {
      ...branchState(walk, { info: { ...info, ...start.info } }),
      id,
      label,
      parent,
      before,
      tokens,
      mind,
      inherited: kept,
      leash,
      ...world,
    },
    walk,
  );
}

/** Tokens of a step's answer that stand in the parent's trajectory. */
function inherited(walk: LiveWalk, step: number): number {
  return step === walk.state.before.length ? walk.state.inherited : 0;
}

function branchState(
  walk: LiveWalk,
  { info = {} }: ForkStart,
): Pick<
  WalkState,
  "home" | "task" | "group" | "own" | "purse" | "order" | "tokens" | "bookmarks" | "info" | "hasRead"
> {
  const { task, group, purse, tokens } = walk;
  const { home, order, bookmarks } = walk.state;
  return { home, task, group, own: [], purse, order, tokens, bookmarks, info, hasRead: true };
}

/** A branch that could not take a step would only be litter. */
function canPay({ purse, runtime }: LiveWalk): boolean {
  const silent = runtime.agent.answerTokens === 0;
  return purse.left("envSteps") >= 1 && (silent || (purse.left("sampledTokens") >= 1 && purse.left("modelCalls") >= 1));
}

function checkPoint(walk: LiveWalk, { step, token, guidance }: BranchPoint): void {
  const first = walk.state.before.length;
  const wrong = (why: string): EngineError =>
    new EngineError("branch-point", `Walk "${walk.id}" cannot be branched at step ${step}: ${why}.`);
  const taken = walk.steps[step - first];
  if (taken === undefined) throw wrong(`its own steps are ${first} to ${walk.depth - 1}`);
  if (token === undefined) return;
  if (guidance !== undefined) throw wrong("guidance writes the message anew, so no token of the answer can be kept");
  const length = taken.span === undefined ? 0 : taken.span.end - taken.span.start;
  if (Number.isInteger(token) && token >= 0 && token < length) return;
  throw wrong(`it keeps ${token} tokens of an answer of ${length}; the last one cannot be kept`);
}

async function copyWorld(walk: LiveWalk, world: Episode, leash: Leash): Promise<Episode> {
  const { env } = walk.runtime;
  try {
    return await leash.wait(world.fork(), walk.envLimit);
  } catch (error) {
    throwIfAborted(walk.runtime.signal);
    throw new EngineError(
      "cannot-fork",
      `The world of task "${walk.task.id}" in "${env.id}" cannot be copied; choose a strategy without branches, "group" for example.`,
      { cause: error, details: { env: env.id, task: walk.task.id } },
    );
  }
}

/** The world before a step: a copy of the bookmark, or the actions once more, which costs environment steps. */
async function worldAt(
  walk: LiveWalk,
  step: number,
  before: readonly Step[],
  leash: Leash,
): Promise<Pick<WalkState, "world" | "failure"> | undefined> {
  const bookmark = walk.bookmarks?.get(step);
  if (bookmark !== undefined) return { world: await copyWorld(walk, bookmark, leash) };
  const actions = before.filter(({ info }) => info?.["internal"] !== true).map(({ action }) => action);
  const paid = walk.purse.reserve("envSteps", actions.length);
  walk.purse.settle("envSteps", paid, paid < actions.length ? 0 : paid);
  if (paid < actions.length) return undefined;
  const wanted = walk.steps[step - walk.state.before.length]?.observation;
  return await replayWorld(walk.runtime, walk.task, actions, wanted, leash);
}
