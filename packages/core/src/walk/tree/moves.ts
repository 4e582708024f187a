/** The moves of a search: asking the policy at a node, carrying a proposal out, and letting the policy walk on alone. */
import { errorCode, errorData, throwIfAborted } from "limbeck-base/base/errors";
import type { Mutable } from "limbeck-base/base/fields";
import type { Episode, StepResult } from "../../env/env.ts";
import { listedActions } from "../../env/world-faults.ts";
import { unscored } from "limbeck-base/trajectory/score";
import type { Ending, Step } from "limbeck-base/trajectory/trajectory";
import type { Decision, Spoken } from "../mind/agent.ts";
import { callNeed, holdSpeech, payForSteps, speak } from "../pay.ts";
import { carryOut, outward, recordStep, unfinishedStep, type Footing } from "../step.ts";
import { storedError } from "../stored-error.ts";
import { closeWorld, isInternal } from "../worlds.ts";
import { takePiece, type LiveMind } from "./kept.ts";
import { SearchNode, stepsTo } from "./node.ts";
import type { Proposal, ProposeOptions, WalkOnOptions } from "./search.ts";
import type { Session } from "./session.ts";

export async function propose(
  session: Session,
  node: SearchNode,
  { count = 1, guidance }: ProposeOptions = {},
): Promise<readonly Proposal[]> {
  throwIfAborted(session.signal);
  if (node.closed || count < 1) return [];
  const indices = node.nextProposals(count);
  // Agents restricted to admissible actions ask the world for them while sampling.
  if (session.worlds.listsActions && (await lookAt(session, node)) === undefined) return [];
  const proposals = await Promise.all(indices.map((index) => one(session, node, index, guidance)));
  return proposals.filter((proposal) => proposal !== undefined);
}

/** The world at a node, to look at; undefined when it cannot be paid, or cannot be had any more. */
export async function lookAt(session: Session, node: SearchNode): Promise<Episode | undefined> {
  try {
    return await session.worlds.at(node, session.purse);
  } catch (error) {
    return countFailure(session, error);
  }
}

async function one(
  session: Session,
  node: SearchNode,
  index: number,
  guidance: string | undefined,
): Promise<Proposal | undefined> {
  const { memory, minds, counts } = session;
  const key = `${index} ${node.stateKey}`;
  const known = guidance === undefined ? memory.answers?.get(key) : undefined;
  try {
    if (known !== undefined) {
      counts.remembered += 1;
      return imposed(session, node, known, { index });
    }
    const label = String(index);
    const live = guidance === undefined ? minds.fork(node, label) : minds.guided(node, guidance, `${label} guided`);
    const proposal = await answer(session, node, { index, live });
    if (proposal !== undefined && guidance === undefined) memory.answers?.set(key, proposal.action);
    return proposal;
  } catch (error) {
    return countFailure(session, error);
  }
}

const SILENT: Spoken = { tokens: 0, modelCalls: 0, ended: true, full: false };

/** Lets a mind that has read the node's observation answer. It is closed when nothing came of it. */
async function answer(
  session: Session,
  node: SearchNode,
  { index, live }: { readonly index: number; readonly live: LiveMind },
): Promise<Proposal | undefined> {
  const { agent, calls, worlds, prices, now, purse } = session;
  const { mind } = live;
  const { answerTokens } = agent;
  const started = now();
  let own = purse;
  try {
    let spoken = SILENT;
    if (answerTokens > 0) {
      // Others may spend from the same purse at the same time: first come, first served.
      if (!purse.isUnlimited) {
        own = await purse.draw(callNeed({ read: mind.promptTokens?.() ?? 0, said: answerTokens }, prices));
      }
      const admissible = (): readonly string[] | undefined => {
        const world = worlds.peek(node);
        return world === undefined ? undefined : listedActions(world);
      };
      const speaker = { mind, calls, prices, admissible };
      const held = holdSpeech(speaker, own, answerTokens);
      if (held === undefined) {
        live.close();
        return undefined;
      }
      spoken = await speak(speaker, own, held);
    } else if (mind.consult !== undefined) await mind.consult();
    const decision = mind.decide();
    const { action, readable } = decision;
    const { tokens: said, modelCalls, full, logprob } = spoken;
    const policyMs = now() - started;
    return { node, index, action, readable, logprob, said, decision, live, policyMs, modelCalls, full };
  } catch (error) {
    live.close();
    throw error;
  } finally {
    if (own !== purse) own.close();
  }
}

/** An action put into the agent's mouth. */
function imposed(
  { minds }: Session,
  node: SearchNode,
  given: string,
  { index, ...by }: { readonly index: number; readonly source?: string },
): Proposal {
  const live = minds.fork(node, `imposed ${index}`);
  live.mind.impose(given);
  const decision = live.mind.decide();
  const { action, readable } = decision;
  const silent = { logprob: undefined, said: 0, policyMs: 0, modelCalls: 0, full: false };
  return { node, index, action, readable, decision, live, ...silent, ...by };
}

/** Carries out a proposal, or an action that the policy did not choose. */
export async function takeWhat(
  session: Session,
  node: SearchNode,
  what: Proposal | string,
): Promise<SearchNode | undefined> {
  const order = node.nextOrder();
  let proposal: Proposal;
  try {
    if (typeof what !== "string") proposal = what;
    else if (node.closed) return undefined;
    else proposal = imposed(session, node, what, { index: order, source: "search" });
  } catch (error) {
    return countFailure(session, error);
  }
  return await take(session, proposal, { order, simulated: false });
}

/** Counts a failure and keeps the first ones; a cancelled search is not one. */
export function countFailure({ counts, failures, signal }: Session, error: unknown): undefined {
  throwIfAborted(signal);
  counts.failed += 1;
  if (failures.length < 8) failures.push(errorData(error));
}

// Carrying out a proposal: one step in a world of its own, one node more.

interface TakeOptions {
  readonly order: number;
  readonly simulated: boolean;
  /** The world moves on with the step, and the node before it keeps none. */
  readonly move?: boolean;
  /** The caller goes on with the mind itself. */
  readonly holdsMind?: boolean;
}

/** A node as the ground for one step. */
function footingAt({ env, task, calls, signal, attempts, guarded, purse }: Session, node: SearchNode): Footing {
  return {
    env,
    task,
    calls,
    signal,
    attempts,
    guarded,
    world: undefined,
    get episode() {
      return stepsTo(node);
    },
    pay: (steps) => payForSteps(purse, steps),
  };
}

/** The proposal's mind is used up either way. */
export async function take(
  session: Session,
  proposal: Proposal,
  options: TakeOptions,
): Promise<SearchNode | undefined> {
  const { node, live } = proposal;
  const { worlds, now, purse } = session;
  const at = footingAt(session, node);
  let decision = proposal.decision;
  try {
    throwIfAborted(session.signal);
    if (node.closed) return drop(proposal);
    const twin = remembered(session, proposal);
    if (twin !== undefined) {
      if (session.guarded && twin.step.info?.["irreversible"] === true) return drop(proposal);
      session.counts.remembered += 1;
      const { observation, stateKey, ending, reward, success, failure, step: result } = twin;
      const shown = { observation, stateKey, ending, reward, success, failure };
      const child = makeNode(session, proposal, options, { ...shown, decision, result, envMs: 0, actions: NONE });
      worlds.twin(child, twin);
      return finish(session, child, proposal, options);
    }
    const had = options.move === true ? worlds.move(node, purse) : worlds.own(node, purse);
    at.world = had instanceof Promise ? await had : had;
    if (at.world === undefined) return drop(proposal);
    if (decision.internal !== undefined) decision = outward(decision, at.episode);
    const started = now();
    const result = decision.internal === undefined ? await carryOut(at, decision.action, node) : undefined;
    if (typeof result === "string") {
      giveBack(session, node, at.world, options);
      return drop(proposal);
    }
    const world = at.world;
    if (result?.info?.["irreversible"] === true) session.counts.irreversible += 1;
    const { stateKey, ending, reward, success, failure } = world;
    // A world may make its text when it is asked; the result has it already.
    const observation = result?.observation ?? decision.internal?.observation ?? "";
    const envMs = result === undefined ? 0 : now() - started;
    const actions = (): readonly string[] | undefined => listedActions(world);
    const reply = { observation, stateKey, ending, reward, success, failure, decision, result, envMs, actions };
    const child = makeNode(session, proposal, options, reply);
    if (child.closed) await closeWorld(world);
    else worlds.put(child, world);
    return finish(session, child, proposal, options);
  } catch (error) {
    await closeWorld(at.world);
    try {
      countFailure(session, error);
      keepLost(session, proposal, options, { decision, error });
    } finally {
      live.close();
    }
    return undefined;
  }
}

const NONE = (): undefined => undefined;

function drop({ live }: Proposal): undefined {
  live.close();
}

/** A world that was taken and not used; a copy is closed, what was the node's own goes back. */
function giveBack({ worlds }: Session, node: SearchNode, world: Episode, { move }: TakeOptions): void {
  if (move === true || !worlds.forks) worlds.put(node, world);
  else void closeWorld(world);
}

/** What a step gave, from the world or from memory. */
interface Reply extends Pick<SearchNode, "observation" | "stateKey" | "reward" | "success" | "failure"> {
  readonly ending: Ending | undefined;
  readonly decision: Decision;
  /** Undefined where the answer was for the agent itself. */
  readonly result: Pick<StepResult, "valid" | "reward" | "info"> | undefined;
  readonly envMs: number;
  readonly actions: () => readonly string[] | undefined;
}

type Twin = SearchNode & { readonly step: Step };

function remembered({ memory }: Session, { node, decision }: Proposal): Twin | undefined {
  if (decision.internal !== undefined) return undefined;
  const twin = memory.replies?.get(replyKey(node, decision.action));
  return twin?.step === undefined || twin.dropped ? undefined : (twin as Twin);
}

/** Worlds count their steps, so that equal states are the same world only at the same depth. */
function replyKey({ depth, stateKey }: SearchNode, action: string): string {
  return `${depth} ${action}\n${stateKey}`;
}

function makeNode(session: Session, proposal: Proposal, { order, simulated }: TakeOptions, reply: Reply): SearchNode {
  const { node, live, policyMs, source, logprob } = proposal;
  const { result, decision, envMs, observation, stateKey, failure } = reply;
  const recorded = live.length;
  const stopped = reply.ending === undefined ? readOn(session, proposal, reply) : undefined;
  const ending = stopped === undefined ? reply.ending : "truncated";
  const hadRoom = stopped === undefined || reply.success === true;
  const sourced = source === undefined ? decision : { ...decision, info: { ...decision.info, source } };
  const step = recordStep({ index: node.depth, seen: node, decision: sourced, result, policyMs, envMs });
  const reward =
    ending === "failed"
      ? unscored(failure?.message ?? "the world was lost")
      : hadRoom
        ? reply.reward
        : unscored(`stopped: ${stopped}. It is full: ${live.mind.context().length} tokens were read and said.`);
  // What would have come with more room is not known.
  const success = hadRoom ? reply.success : null;
  const said = decision.usage?.completionTokens ?? proposal.said;
  const [parent, own, piece] = [node, fromPiece(step, recorded), takePiece(live, node, session.tape)];
  // One literal: facts that are spread into another object make nodes twice as slow.
  return new SearchNode({
    parent,
    order,
    step: own,
    piece,
    observation,
    stateKey,
    ending,
    reward,
    success,
    simulated,
    logprob,
    said,
    failure,
    stopped,
  });
}

/** Its span counts from the beginning of the node's own tokens. */
function fromPiece(step: Mutable<Step>, recorded: number): Step {
  const { span } = step;
  if (span !== undefined) step.span = { stream: 0, start: span.start - recorded, end: span.end - recorded };
  return step;
}

/** An action whose world was lost is kept: a node that failed, unscored, from which nothing goes on. */
function keepLost(
  session: Session,
  { node, live, logprob, said }: Proposal,
  { order, simulated }: TakeOptions,
  { decision, error }: { readonly decision: Decision; readonly error: unknown },
): void {
  if (node.closed) return;
  const failure = storedError(error);
  const step = fromPiece(unfinishedStep(node.depth, node, decision), live.length);
  const { observation, stateKey } = node;
  const facts = { order, simulated, logprob, said, step, observation, stateKey, failure, stopped: undefined };
  const ending = "failed" as const;
  const piece = takePiece(live, node, session.tape);
  node.add(new SearchNode({ ...facts, parent: node, piece, ending, reward: unscored(failure.message), success: null }));
  session.counts.nodes += 1;
}

/** Lets the mind read what the world shows; says why the episode has to stop here when it cannot. */
function readOn(
  session: Session,
  { node, live, full }: Proposal,
  { observation, decision, actions }: Reply,
): string | undefined {
  if (full) return "context";
  try {
    live.mind.read({ step: node.depth + 1, observation, action: decision.action, admissible: actions });
    return undefined;
  } catch (error) {
    if (errorCode(error) === "past-context") return "context";
    throw error;
  }
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
  if (child.step !== undefined && !isInternal(child.step) && child.ending !== "failed") {
    const key = replyKey(node, child.step.action);
    if (memory.replies?.has(key) === false) memory.replies.set(key, child);
  }
  onNode?.(child);
  return child;
}

// The policy goes on alone from a node: one world and one mind move along, as in an episode.

export async function walkOn(
  session: Session,
  start: SearchNode,
  { steps = Infinity, simulated = start.simulated, guidance }: WalkOnOptions = {},
): Promise<SearchNode | undefined> {
  throwIfAborted(session.signal);
  if (start.closed) return undefined;
  const order = start.nextOrder();
  const [index] = start.nextProposals(1) as [number];
  const live = begin(session, start, index, guidance);
  if (live === undefined) return undefined;
  let node = start;
  for (let taken = 0; taken < steps && !node.closed; taken += 1) {
    const isFirst = node === start;
    let proposal: Proposal | undefined;
    try {
      const there = hasWorld(session, node);
      if (there === true || (await there)) {
        proposal = await answer(session, node, { index: isFirst ? index : 0, live });
      } else live.close();
    } catch (error) {
      live.close();
      countFailure(session, error);
    }
    if (proposal === undefined) return reached(start, node);
    const next = await take(session, proposal, {
      order: isFirst ? order : node.nextOrder(),
      simulated,
      move: !isFirst,
      holdsMind: true,
    });
    if (next === undefined) return reached(start, node);
    node = next;
    // A chat cannot be put back exactly: what the world listed stood in its messages. A copy costs nothing.
    if (!node.closed && !simulated && !session.agent.exact) session.minds.keepCopy(node, live);
  }
  if (!node.closed) session.minds.put(node, live);
  return node;
}

function begin(session: Session, start: SearchNode, index: number, guidance: string | undefined): LiveMind | undefined {
  const label = `walk ${index}`;
  try {
    return guidance === undefined ? session.minds.fork(start, label) : session.minds.guided(start, guidance, label);
  } catch (error) {
    return countFailure(session, error);
  }
}

/** Agents restricted to admissible actions ask the world for them while sampling. */
function hasWorld({ worlds, purse }: Session, node: SearchNode): boolean | Promise<boolean> {
  if (!worlds.listsActions || worlds.peek(node) !== undefined) return true;
  return worlds.at(node, purse).then((world) => world !== undefined);
}

function reached(start: SearchNode, node: SearchNode): SearchNode | undefined {
  return node === start ? undefined : node;
}
