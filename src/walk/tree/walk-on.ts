/** The policy goes on alone from a node: one world and one mind move along, as in an episode. */
import { throwIfAborted } from "../../base/index.ts";
import type { Purse } from "../purse.ts";
import type { SearchNode } from "./node.ts";
import { answer, failed } from "./propose.ts";
import type { Proposal } from "./proposal.ts";
import type { WalkOnOptions } from "./search.ts";
import type { Session } from "./session.ts";
import { take } from "./take.ts";
import type { LiveMind } from "./minds.ts";

export async function walkOn(
  session: Session,
  purse: Purse,
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
      const there = hasWorld(session, purse, node);
      if (there === true || (await there)) {
        proposal = await answer(session, purse, node, { index: isFirst ? index : 0, live });
      } else live.close();
    } catch (error) {
      live.close();
      failed(session, error);
    }
    if (proposal === undefined) return reached(start, node);
    const next = await take(session, purse, proposal, {
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
    return failed(session, error);
  }
}

/** Agents that confine themselves to what the world lists ask it while they speak. */
function hasWorld({ worlds }: Session, purse: Purse, node: SearchNode): boolean | Promise<boolean> {
  if (!worlds.listsActions || worlds.peek(node) !== undefined) return true;
  return worlds.at(node, purse).then((world) => world !== undefined);
}

function reached(start: SearchNode, node: SearchNode): SearchNode | undefined {
  return node === start ? undefined : node;
}
