/** Asking the policy at a node: paid, recorded exactly, each answer drawn by its own number. */
import { errorData, throwIfAborted } from "../../base/index.ts";
import { isUnlimited } from "../purse.ts";
import type { Spoken } from "../mind/agent.ts";
import { callNeed, NO_USE, settleCall, tokensToSay, type SearchPurse } from "./budget.ts";
import type { LiveMind } from "./minds.ts";
import type { SearchNode } from "./node.ts";
import type { Proposal } from "./proposal.ts";
import type { ProposeOptions } from "./search.ts";
import type { Session } from "./session.ts";

export async function propose(
  session: Session,
  purse: SearchPurse,
  node: SearchNode,
  { count = 1, guidance }: ProposeOptions = {},
): Promise<readonly Proposal[]> {
  throwIfAborted(session.signal);
  if (node.closed || count < 1) return [];
  const indices = node.nextProposals(count);
  // Agents that confine themselves to what the world lists ask it while they speak.
  const { worlds } = session;
  if (worlds.listsActions) {
    const world = await worlds.at(node, purse).catch((error: unknown) => failed(session, error));
    if (world === undefined) return [];
  }
  const proposals = await Promise.all(indices.map((index) => one(session, purse, node, index, guidance)));
  return proposals.filter((proposal) => proposal !== undefined);
}

async function one(
  session: Session,
  purse: SearchPurse,
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
    const proposal = await answer(session, purse, node, { index, live });
    if (proposal !== undefined && guidance === undefined) memory.answers?.set(key, proposal.action);
    return proposal;
  } catch (error) {
    return failed(session, error);
  }
}

/**
 * Lets a mind that has read the node's observation answer. It is closed when nothing came of it. Every step of a search
 * passes here, so that the call is paid for in place and not by a function that is handed one.
 */
export async function answer(
  session: Session,
  purse: SearchPurse,
  node: SearchNode,
  { index, live }: { readonly index: number; readonly live: LiveMind },
): Promise<Proposal | undefined> {
  const { agent, calls, worlds, prices, now } = session;
  const { mind } = live;
  const isPaid = agent.answerTokens > 0;
  const started = now();
  let own = purse;
  let use = NO_USE;
  try {
    const need = { read: mind.promptTokens?.() ?? 0, said: agent.answerTokens };
    if (isPaid && !isUnlimited(purse)) own = await purse.draw(callNeed(need, prices));
    const maxTokens = isPaid ? tokensToSay(own, need, prices) : 0;
    if (maxTokens === undefined) {
      live.close();
      return undefined;
    }
    use = { read: need.read, said: 0, modelCalls: 1 };
    const admissible = (): readonly string[] | undefined => worlds.peek(node)?.admissible();
    const spoken = await calls.policy(({ signal }) => mind.speak({ maxTokens, signal, admissible }));
    const decision = mind.decide();
    // Where a server has counted, its count is what is billed.
    const read = decision.usage?.promptTokens ?? need.read;
    use = { read, said: spoken.tokens, modelCalls: spoken.modelCalls };
    return proposalOf({ node, index, live, decision, spoken, policyMs: now() - started });
  } catch (error) {
    live.close();
    throw error;
  } finally {
    if (isPaid) settleCall(own, use, prices);
    if (own !== purse) own.close();
  }
}

interface Said extends Pick<Proposal, "node" | "index" | "live" | "decision" | "policyMs"> {
  readonly spoken: Spoken;
}

function proposalOf({ node, index, live, decision, spoken, policyMs }: Said): Proposal {
  const { tokens, modelCalls, full } = spoken;
  const { action, readable, span } = decision;
  const logprob = span === undefined ? undefined : sumOf(live.mind.answer(span)?.logprobs);
  return { node, index, action, readable, logprob, said: tokens, decision, live, policyMs, modelCalls, full };
}

function sumOf(values: Float32Array | undefined): number | undefined {
  if (values === undefined) return undefined;
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** An action put into the agent's mouth. */
export function imposed(
  { minds }: Session,
  node: SearchNode,
  action: string,
  { index, source }: { readonly index: number; readonly source?: string },
): Proposal {
  const live = minds.fork(node, `imposed ${index}`);
  live.mind.impose(action);
  const decision = live.mind.decide();
  return {
    node,
    index,
    action: decision.action,
    readable: decision.readable,
    logprob: undefined,
    said: 0,
    decision,
    live,
    policyMs: 0,
    modelCalls: 0,
    full: false,
    ...(source === undefined ? {} : { source }),
  };
}

/** Counts a failure and keeps the first ones; a cancelled search is not one. */
export function failed({ counts, failures, signal }: Session, error: unknown): undefined {
  throwIfAborted(signal);
  counts.failed += 1;
  if (failures.length < 8) failures.push(errorData(error));
}
