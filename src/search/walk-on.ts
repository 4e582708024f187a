/** The policy goes on alone from a node: one world and one mind move along, as in an episode. */
import { throwIfAborted } from "../base/index.ts";
import type { SearchPurse } from "./budget.ts";
import type { SearchNode } from "./node.ts";
import { answer, failed } from "./propose.ts";
import type { Proposal } from "./proposal.ts";
import type { WalkOnOptions } from "./search.ts";
import type { Session } from "./session.ts";
import { take } from "./take.ts";
import type { LiveMind } from "./minds.ts";

export async function walkOn(
  session: Session,
  purse: SearchPurse,
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
    const proposal = await speak(session, purse, node, { index: isFirst ? index : 0, live });
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

/** The mind is closed when nothing came of it. */
async function speak(
  session: Session,
  purse: SearchPurse,
  node: SearchNode,
  place: { readonly index: number; readonly live: LiveMind },
): Promise<Proposal | undefined> {
  const { worlds } = session;
  try {
    if (worlds.listsActions && (await worlds.at(node, purse)) === undefined) {
      place.live.close();
      return undefined;
    }
    return await answer(session, purse, node, place);
  } catch (error) {
    place.live.close();
    return failed(session, error);
  }
}

function reached(start: SearchNode, node: SearchNode): SearchNode | undefined {
  return node === start ? undefined : node;
}
