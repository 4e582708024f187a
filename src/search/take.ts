/** Carrying out a proposal: one step in a world of its own, one node more. */
import { EngineError, errorCode, throwIfAborted } from "../base/index.ts";
import type { Episode, StepResult } from "../env/index.ts";
import { scored, unscored, type Ending, type JsonObject, type Step } from "../trajectory/index.ts";
import { payForSteps, type SearchPurse } from "./budget.ts";
import { takePiece } from "./minds.ts";
import { SearchNode } from "./node.ts";
import { failed } from "./propose.ts";
import type { Proposal } from "./proposal.ts";
import type { Session } from "./session.ts";

export interface TakeOptions {
  readonly order: number;
  readonly simulated: boolean;
  /** The world moves on with the step, and the node before it keeps none. */
  readonly move?: boolean;
  /** The caller goes on with the mind itself. */
  readonly holdsMind?: boolean;
}

/** The proposal's mind is used up either way. */
export async function take(
  session: Session,
  purse: SearchPurse,
  proposal: Proposal,
  options: TakeOptions,
): Promise<SearchNode | undefined> {
  const { node, live } = proposal;
  let world: Episode | undefined;
  try {
    throwIfAborted(session.signal);
    const known = node.closed ? undefined : remembered(session, proposal);
    if (known !== undefined && !(session.guarded && known.info?.["irreversible"] === true)) {
      session.counts.remembered += 1;
      const child = makeNode(session, proposal, options, known);
      session.worlds.twin(child, known.twin);
      return finish(session, child, proposal, options);
    }
    const { decision } = proposal;
    world = node.closed ? undefined : await worldFor(session, purse, node, options.move === true);
    const isFinal = decision.internal === undefined && world?.irreversible?.(decision.action) === true;
    const isBarred = session.guarded && isFinal;
    if (world === undefined || isBarred || (decision.internal === undefined && !(await payForSteps(purse, 1)))) {
      live.close();
      if (world !== undefined) giveBack(session, node, world, options);
      return undefined;
    }
    const child = await carryOut(session, proposal, options, { world, isFinal });
    // What was refused has done nothing.
    if (child.step?.info?.["irreversible"] === true && isFinal) session.counts.irreversible += 1;
    if (child.closed) await world.close().catch(() => undefined);
    else session.worlds.put(child, world);
    return finish(session, child, proposal, options);
  } catch (error) {
    live.close();
    await world?.close().catch(() => undefined);
    return failed(session, error);
  }
}

async function worldFor(
  { worlds }: Session,
  purse: SearchPurse,
  node: SearchNode,
  move: boolean,
): Promise<Episode | undefined> {
  return move ? await worlds.move(node, purse) : await worlds.own(node, purse);
}

/** A world that was taken and not used; a copy is closed, what was the node's own goes back. */
function giveBack({ worlds }: Session, node: SearchNode, world: Episode, { move }: TakeOptions): void {
  if (move === true || !worlds.forks) worlds.put(node, world);
  else void world.close().catch(() => undefined);
}

/** What a step gave, from the world or from memory. */
interface Reply {
  readonly observation: string;
  readonly stateKey: string;
  readonly ending: Ending | undefined;
  readonly reward: SearchNode["reward"];
  readonly success: boolean | null;
  readonly stepReward: Step["reward"];
  readonly valid: boolean;
  readonly info: JsonObject | undefined;
  readonly failure?: SearchNode["failure"];
  readonly envMs: number;
  readonly actions: () => readonly string[] | undefined;
}

const NO_ACTIONS = (): undefined => undefined;

function remembered({ memory }: Session, { node, decision }: Proposal): (Reply & { twin: SearchNode }) | undefined {
  if (decision.internal !== undefined) return undefined;
  const twin = memory.replies?.get(replyKey(node, decision.action));
  if (twin?.step === undefined || twin.dropped) return undefined;
  const { observation, stateKey, ending, reward, success, step } = twin;
  const { reward: stepReward, valid, info } = step;
  return {
    twin,
    observation,
    stateKey,
    ending,
    success,
    reward,
    stepReward,
    valid,
    info,
    envMs: 0,
    actions: NO_ACTIONS,
  };
}

/** Worlds count their steps, so that equal states are the same world only at the same depth. */
export function replyKey({ depth, stateKey }: SearchNode, action: string): string {
  return `${depth} ${action}\n${stateKey}`;
}

async function carryOut(
  session: Session,
  proposal: Proposal,
  options: TakeOptions,
  { world, isFinal }: { readonly world: Episode; readonly isFinal: boolean },
): Promise<SearchNode> {
  const { calls, now } = session;
  const { decision } = proposal;
  const started = now();
  if (decision.internal !== undefined) {
    const { stateKey, ending, reward, success } = world;
    const { observation } = decision.internal;
    return makeNode(session, proposal, options, {
      observation,
      stateKey,
      ending,
      reward,
      success,
      envMs: 0,
      valid: decision.readable,
      stepReward: scored(0),
      info: { internal: true },
      actions: () => world.admissible(),
    });
  }
  const result = await calls.world((given) => world.step(decision.action, given));
  checkResult(session, result);
  const { stateKey, reward, success, failure } = world;
  return makeNode(session, proposal, options, {
    observation: result.observation,
    stateKey,
    ending: result.ending,
    reward,
    success,
    stepReward: result.reward,
    valid: decision.readable && result.valid,
    info: isFinal ? { ...result.info, irreversible: result.valid } : result.info,
    envMs: now() - started,
    actions: () => world.admissible(),
    ...(failure === undefined ? {} : { failure }),
  });
}

/** The types say so, but a world of another language may answer anything. */
function checkResult({ task }: Session, { observation, reward }: StepResult): void {
  const isScore = reward?.kind === "unscored" || (reward?.kind === "scored" && Number.isFinite(reward.value));
  if (typeof observation === "string" && isScore) return;
  throw new EngineError("bad-world", `The world of task "${task.id}" answered without a text or a reward.`);
}

function makeNode(session: Session, proposal: Proposal, options: TakeOptions, reply: Reply): SearchNode {
  const { node, live, decision } = proposal;
  const stopped = reply.ending === undefined ? readOn(session, proposal, reply) : undefined;
  const step = stepOf(proposal, reply, live.length);
  const piece = takePiece(live, node, session.tape);
  const ending = stopped === undefined ? reply.ending : "truncated";
  const isLost = ending === "failed";
  return new SearchNode({
    parent: node,
    order: options.order,
    step,
    piece,
    observation: reply.observation,
    stateKey: reply.stateKey,
    ending,
    reward: isLost ? unscored(reply.failure?.message ?? "the world was lost") : reply.reward,
    // An episode that ran out of context did not reach its goal in time.
    success: stopped === undefined || reply.success !== null ? reply.success : false,
    simulated: options.simulated,
    logprob: proposal.logprob,
    said: decision.usage?.completionTokens ?? proposal.said,
    ...(reply.failure === undefined ? {} : { failure: reply.failure }),
    ...(stopped === undefined ? {} : { stopped }),
  });
}

/** Lets the mind read what the world shows; says why the episode has to stop here when it cannot. */
function readOn(session: Session, proposal: Proposal, reply: Reply): string | undefined {
  const { node, live, decision, full } = proposal;
  if (full) return "context";
  try {
    live.mind.read({
      step: node.depth + 1,
      observation: reply.observation,
      action: decision.action,
      admissible: reply.actions,
    });
    return undefined;
  } catch (error) {
    if (errorCode(error) === "past-context") return "context";
    failed(session, error);
    throw error;
  }
}

/** The step that led to the new node; its span counts from the beginning of the node's own tokens. */
function stepOf({ node, decision, policyMs, source }: Proposal, reply: Reply, recorded: number): Step {
  const { span, prompt, basePrompt, messages, reply: said, usage } = decision;
  const info: JsonObject = {
    ...reply.info,
    ...decision.info,
    ...(source === undefined ? {} : { source }),
  };
  return {
    index: node.depth,
    observation: node.observation,
    stateKey: node.stateKey,
    action: decision.action,
    valid: reply.valid,
    reward: reply.stepReward,
    timing: { policyMs, envMs: reply.envMs },
    ...(span === undefined ? {} : { span: { stream: 0, start: span.start - recorded, end: span.end - recorded } }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(basePrompt === undefined ? {} : { basePrompt }),
    ...(messages === undefined ? {} : { messages }),
    ...(said === undefined ? {} : { reply: said }),
    ...(usage === undefined ? {} : { usage }),
    ...(Object.keys(info).length === 0 ? {} : { info }),
  };
}

function finish(
  { minds, counts, memory, onNode }: Session,
  child: SearchNode,
  { node, live }: Proposal,
  { holdsMind }: TakeOptions,
): SearchNode {
  if (child.closed) live.close();
  else if (holdsMind !== true) minds.put(child, live);
  node.add(child);
  counts.nodes += 1;
  if (child.step !== undefined && child.step.info?.["internal"] !== true && child.ending !== "failed") {
    const key = replyKey(node, child.step.action);
    if (memory.replies?.has(key) === false) memory.replies.set(key, child);
  }
  onNode?.(child);
  return child;
}
