/** Carrying out a proposal: one step in a world of its own, one node more. */
import { errorCode, throwIfAborted, type Mutable } from "../../base/index.ts";
import { checkResult } from "../../env/check-result.ts";
import type { Episode, StepResult } from "../../env/index.ts";
import type { Decision } from "../mind/agent.ts";
import { scored, unscored, type Ending, type JsonObject, type Step } from "../../trajectory/index.ts";
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
    const { worlds, now } = session;
    const had = node.closed ? undefined : options.move === true ? worlds.move(node, purse) : worlds.own(node, purse);
    world = had instanceof Promise ? await had : had;
    const isOutward = decision.internal === undefined;
    const isFinal = isOutward && world?.irreversible?.(decision.action) === true;
    let isAllowed = world !== undefined && !(session.guarded && isFinal);
    if (isAllowed && isOutward) {
      const paying = payForSteps(purse, 1);
      isAllowed = typeof paying === "boolean" ? paying : await paying;
    }
    if (world === undefined || !isAllowed) {
      live.close();
      if (world !== undefined) giveBack(session, node, world, options);
      return undefined;
    }
    const episode = world;
    const started = now();
    const result = isOutward ? await session.calls.world((given) => episode.step(decision.action, given)) : undefined;
    const reply =
      result === undefined
        ? internalReply(decision, episode)
        : replyOf(session, decision, episode, { result, isFinal, envMs: now() - started });
    const child = makeNode(session, proposal, options, reply);
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
  readonly failure: SearchNode["failure"];
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
    failure: undefined,
    envMs: 0,
    actions: NO_ACTIONS,
  };
}

/** Worlds count their steps, so that equal states are the same world only at the same depth. */
export function replyKey({ depth, stateKey }: SearchNode, action: string): string {
  return `${depth} ${action}\n${stateKey}`;
}

/** An answer for the agent itself: the world is not stepped. */
function internalReply({ internal, readable }: Decision, world: Episode): Reply {
  const { stateKey, ending, reward, success } = world;
  return {
    observation: internal?.observation ?? "",
    stateKey,
    ending,
    reward,
    success,
    envMs: 0,
    valid: readable,
    stepReward: scored(0),
    info: { internal: true },
    failure: undefined,
    actions: () => world.admissible(),
  };
}

interface Stepped {
  readonly result: StepResult;
  readonly isFinal: boolean;
  readonly envMs: number;
}

function replyOf(session: Session, { readable }: Decision, world: Episode, stepped: Stepped): Reply {
  const { result, isFinal, envMs } = stepped;
  checkResult(session.task, result);
  const { stateKey, reward, success, failure } = world;
  return {
    observation: result.observation,
    stateKey,
    ending: result.ending,
    reward,
    success,
    envMs,
    valid: readable && result.valid,
    stepReward: result.reward,
    info: isFinal ? { ...result.info, irreversible: result.valid } : result.info,
    failure,
    actions: () => world.admissible(),
  };
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
    failure: reply.failure,
    stopped,
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
  const step: Mutable<Step> = {
    index: node.depth,
    observation: node.observation,
    stateKey: node.stateKey,
    action: decision.action,
    valid: reply.valid,
    reward: reply.stepReward,
    timing: { policyMs, envMs: reply.envMs },
  };
  // Plain assignments: conditional spreads would cost more than the rest of the node.
  if (span !== undefined) step.span = { stream: 0, start: span.start - recorded, end: span.end - recorded };
  if (prompt !== undefined) step.prompt = prompt;
  if (basePrompt !== undefined) step.basePrompt = basePrompt;
  if (messages !== undefined) step.messages = messages;
  if (said !== undefined) step.reply = said;
  if (usage !== undefined) step.usage = usage;
  if (reply.info !== undefined || decision.info !== undefined || source !== undefined) {
    const info = { ...reply.info, ...decision.info, ...(source === undefined ? {} : { source }) };
    if (Object.keys(info).length > 0) step.info = info;
  }
  return step;
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
