/** Carrying out a proposal: one step in a world of its own, one node more. */
import { errorCode, throwIfAborted, type Mutable } from "../../base/index.ts";
import type { Episode, StepResult } from "../../env/index.ts";
import { unscored, type Ending, type Step } from "../../trajectory/index.ts";
import type { Decision } from "../mind/agent.ts";
import { payForSteps } from "../pay.ts";
import type { Purse } from "../purse.ts";
import { storedError } from "../stored-error.ts";
import { carryOut, outward, recordStep, unfinishedStep, type Footing } from "../step.ts";
import { closeWorld, isInternal } from "../worlds.ts";
import { listedActions } from "../../env/world-faults.ts";
import { takePiece } from "./minds.ts";
import { SearchNode, stepsTo } from "./node.ts";
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

/** A node as the ground for one step. */
class NodeFooting implements Footing {
  world: Episode | undefined;
  readonly #session: Session;
  readonly #node: SearchNode;
  readonly #purse: Purse;

  constructor(session: Session, node: SearchNode, purse: Purse) {
    this.#session = session;
    this.#node = node;
    this.#purse = purse;
  }

  get env(): Session["env"] {
    return this.#session.env;
  }
  get task(): Session["task"] {
    return this.#session.task;
  }
  get calls(): Session["calls"] {
    return this.#session.calls;
  }
  get signal(): AbortSignal {
    return this.#session.signal;
  }
  get attempts(): number {
    return this.#session.attempts;
  }
  get guarded(): boolean {
    return this.#session.guarded;
  }
  get episode(): readonly Step[] {
    return stepsTo(this.#node);
  }
  pay(steps: number): boolean | Promise<boolean> {
    return payForSteps(this.#purse, steps);
  }
}

/** The proposal's mind is used up either way. */
export async function take(
  session: Session,
  purse: Purse,
  proposal: Proposal,
  options: TakeOptions,
): Promise<SearchNode | undefined> {
  const { node, live } = proposal;
  const at = new NodeFooting(session, node, purse);
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
      session.worlds.twin(child, twin);
      return finish(session, child, proposal, options);
    }
    const { worlds, now } = session;
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
    const child = makeNode(session, proposal, options, {
      // A world may make its text when it is asked; the result has it already.
      observation: result?.observation ?? decision.internal?.observation ?? "",
      stateKey: world.stateKey,
      ending: world.ending,
      reward: world.reward,
      success: world.success,
      failure: world.failure,
      decision,
      result,
      envMs: result === undefined ? 0 : now() - started,
      actions: () => listedActions(world),
    });
    if (child.closed) await closeWorld(world);
    else worlds.put(child, world);
    return finish(session, child, proposal, options);
  } catch (error) {
    await closeWorld(at.world);
    try {
      failed(session, error);
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
export function replyKey({ depth, stateKey }: SearchNode, action: string): string {
  return `${depth} ${action}\n${stateKey}`;
}

function makeNode(session: Session, proposal: Proposal, options: TakeOptions, reply: Reply): SearchNode {
  const { node, live, policyMs, source } = proposal;
  const { result, decision, envMs } = reply;
  const recorded = live.length;
  const stopped = reply.ending === undefined ? readOn(session, proposal, reply) : undefined;
  const ending = stopped === undefined ? reply.ending : "truncated";
  const hadRoom = stopped === undefined || reply.success === true;
  const sourced = source === undefined ? decision : { ...decision, info: { ...decision.info, source } };
  const step = recordStep({ index: node.depth, seen: node, decision: sourced, result, policyMs, envMs });
  return new SearchNode({
    parent: node,
    order: options.order,
    step: fromPiece(step, recorded),
    piece: takePiece(live, node, session.tape),
    observation: reply.observation,
    stateKey: reply.stateKey,
    ending,
    reward:
      ending === "failed"
        ? unscored(reply.failure?.message ?? "the world was lost")
        : hadRoom
          ? reply.reward
          : unscored(`stopped: ${stopped}. It is full: ${live.mind.context().length} tokens were read and said.`),
    // What would have come with more room nobody knows.
    success: hadRoom ? reply.success : null,
    simulated: options.simulated,
    logprob: proposal.logprob,
    said: decision.usage?.completionTokens ?? proposal.said,
    failure: reply.failure,
    stopped,
  });
}

/** Its span counts from the beginning of the node's own tokens. */
function fromPiece(step: Mutable<Step>, recorded: number): Step {
  const { span } = step;
  if (span !== undefined) step.span = { stream: 0, start: span.start - recorded, end: span.end - recorded };
  return step;
}

/** What the policy said of a world that was lost is kept: a node that failed, unscored, from which nothing goes on. */
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
