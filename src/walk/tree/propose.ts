/** Asking the policy at a node: paid, recorded exactly, each answer drawn by its own number. */
import { errorData, throwIfAborted } from "../../base/index.ts";
import type { Spoken } from "../mind/agent.ts";
import { callNeed } from "../pay.ts";
import type { Purse } from "../purse.ts";
import { holdSpeech, speak } from "../speak.ts";
import { listedActions } from "../../env/world-faults.ts";
import type { LiveMind } from "./minds.ts";
import type { SearchNode } from "./node.ts";
import type { Proposal } from "./proposal.ts";
import type { ProposeOptions } from "./search.ts";
import type { Session } from "./session.ts";

export async function propose(
  session: Session,
  purse: Purse,
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
  purse: Purse,
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

const SILENT: Spoken = { tokens: 0, modelCalls: 0, ended: true, full: false };

/** Lets a mind that has read the node's observation answer. It is closed when nothing came of it. */
export async function answer(
  session: Session,
  purse: Purse,
  node: SearchNode,
  { index, live }: { readonly index: number; readonly live: LiveMind },
): Promise<Proposal | undefined> {
  const { agent, calls, worlds, prices, now } = session;
  const { mind } = live;
  const { answerTokens } = agent;
  const started = now();
  let own = purse;
  try {
    let spoken = SILENT;
    if (answerTokens > 0) {
      // Others may be asked from the same purse at the same time: who asks first is served first.
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
    return proposalOf({ node, index, live, decision, spoken, policyMs: now() - started });
  } catch (error) {
    live.close();
    throw error;
  } finally {
    if (own !== purse) own.close();
  }
}

interface Said extends Pick<Proposal, "node" | "index" | "live" | "decision" | "policyMs"> {
  readonly spoken: Spoken;
}

function proposalOf({ node, index, live, decision, spoken, policyMs }: Said): Proposal {
  const { tokens, modelCalls, full, logprob } = spoken;
  const { action, readable } = decision;
  return { node, index, action, readable, logprob, said: tokens, decision, live, policyMs, modelCalls, full };
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
