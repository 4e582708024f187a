/** WebOperator: best-first search that never does in passing what cannot be undone. */
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { isSolved, worthiestNode, worthOf } from "./worth.ts";
import { oneLine, readActions, summariseLine } from "./line-summary.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { discard, type Proposal } from "../walk/tree/search.ts";
import { firstLargest } from "../walk/shares.ts";
import { defineSearch, type SearchScope } from "./search.ts";

const options = {
  candidates: option.count(4, "proposals when a state is expanded"),
  expansions: option.count(40, "states expanded before it must commit"),
  reserve: option.share(0.2, "share of the budget kept for committing"),
  confirm: option.count(3, "further proposals when it commits", 0),
  certainty: option.share(0.5, "share of them that must mean the same"),
  trust: option.share(0.5, "weight of worth against the policy's wishes"),
  verify: option.flag(true, "replay and compare before going back to an earlier state"),
};

type Options = OptionValues<typeof options>;

export const weboperator = defineSearch({
  info: {
    title: "WebOperator",
    paper: "WebOperator: Action-Aware Tree Search for Autonomous Agents in Web Environment",
    confidence: "inferred",
    formula: [
      "score(state) = trust x worth(state) + (1 - trust) x geometric mean of the shares of proposals on the way there",
      "expand the best state: `candidates` proposals, unreadable ones left out, equal ones merged into shares, loops left out",
      "an action that cannot be taken back is put off, with the score of its state and its share",
      "when the best of those is no worse than the best open state, or exploring is over, it is confirmed: of all proposals there, `confirm` new ones included, a share of `certainty` must mean it",
      "once it is done there is no way back: everything that was open before is forgotten",
    ],
    meaning: "Best-first search in which irreversible actions wait, are confirmed, and are done once or not at all.",
    departures: [
      "Before it goes back it replays the line from a fresh opening and compares every step; a state that is not reached again is dropped. After something was done for good nothing is replayed, since that would do it again.",
      "Candidates come from several draws of one prompt, not from several prompts.",
      "With a text model the confirmation is its yes or no.",
      "Values that act (Monte Carlo) act in a scope that refuses what cannot be taken back.",
    ],
  },
  options,
  create: (options) => ({ run: (scope) => explore(scope, options) }),
});

interface OpenState {
  readonly node: SearchNode;
  /** Logarithms of the shares on the way, summed, since the last thing that was done for good. */
  readonly wishes: number;
  readonly steps: number;
  readonly score: number;
}

/** Something that cannot be taken back, waiting. */
interface Delayed {
  readonly proposal: Proposal;
  readonly share: number;
  readonly proposals: number;
  readonly score: number;
}

interface Board {
  states: OpenState[];
  delayed: Delayed[];
  /** Places that were met since the last thing that was done for good. */
  met: Set<string>;
  /** Where it began, or what was done for good last; nothing before it can be chosen any more. */
  base: SearchNode;
  /** Ends and dead ends that were reached since. */
  reached: SearchNode[];
  expanded: number;
  /** Where the search was last. */
  last: SearchNode | undefined;
  /** Something was done for good. */
  committed: boolean;
}

async function explore(scope: SearchScope, options: Options): Promise<SearchNode | undefined> {
  const base = scope.root;
  const nothing = { states: [], delayed: [], met: new Set<string>(), reached: [], expanded: 0 };
  const board: Board = { ...nothing, base, last: undefined, committed: false };
  startFrom(board, base);
  for (;;) {
    const solved = board.reached.find(isSolved);
    if (solved !== undefined) return close(board, solved);
    const state = takeBest(board.states);
    const waiting = firstLargest(board.delayed, ({ score }) => score);
    const mustCommit = board.expanded >= options.expansions || scope.left() <= options.reserve || state === undefined;
    if (waiting !== undefined && (mustCommit || waiting.score >= state.score)) {
      if (state !== undefined) board.states.push(state);
      const done = await commit(scope, board, waiting, options);
      if (done?.closed === true) return close(board, done);
      continue;
    }
    if (state === undefined || board.expanded >= options.expansions)
      return close(board, worthiestNode(board.reached) ?? board.base);
    const grown = await expand(scope, board, state, options);
    if (!grown) return close(board, worthiestNode([...board.reached, state.node]));
  }
}

function startFrom(board: Board, node: SearchNode): void {
  board.states = [{ node, wishes: 0, steps: 0, score: 1 }];
  board.base = node;
  board.reached = [];
  board.met = new Set([knowledgeAt(node)]);
  board.expanded = 0;
}

/** A page that was seen before is another place once something else was read in between; only a loop is nothing new. */
function knowledgeAt(node: SearchNode): string {
  const seen = new Set(lineTo(node).map(({ stateKey }) => stateKey));
  return JSON.stringify([node.stateKey, ...[...seen].toSorted()]);
}

/** False when nothing could be paid. */
async function expand(scope: SearchScope, board: Board, state: OpenState, options: Options): Promise<boolean> {
  const safe = scope.safe();
  if (options.verify && isWayBack(board, state.node) && !(await safe.verify(state.node))) return true;
  const proposals = await safe.propose(state.node, { count: options.candidates });
  if (proposals.length === 0) return false;
  board.expanded += 1;
  const wanted = await merge(scope, proposals);
  const fresh: { readonly node: SearchNode; readonly share: number }[] = [];
  for (const { proposal, count } of wanted) {
    const share = count / proposals.length;
    if (await safe.irreversible(state.node, proposal.action)) {
      const score = scoreOf({ ...next(state, share), node: state.node }, options.trust);
      board.delayed.push({ proposal, share, proposals: proposals.length, score });
      state.node.info = { ...state.node.info, delayed: proposal.action };
      continue;
    }
    const node = await safe.take(state.node, proposal);
    if (node !== undefined) board.last = node;
    if (node !== undefined && node.step?.valid !== false) fresh.push({ node, share });
  }
  await safe.evaluate(fresh.map(({ node }) => node));
  for (const { node, share } of fresh) {
    if (node.closed) board.reached.push(node);
    else if (!board.met.has(knowledgeAt(node))) {
      board.met.add(knowledgeAt(node));
      const place = { ...next(state, share), node };
      board.states.push({ ...place, score: scoreOf(place, options.trust) });
    }
  }
  return true;
}

/** Its parent was not the last place to be; from what was done for good nothing is replayed, that would do it again. */
function isWayBack({ last, committed }: Board, node: SearchNode): boolean {
  return !committed && last !== undefined && last !== node && last !== node.parent;
}

function next({ wishes, steps }: OpenState, share: number): Pick<OpenState, "wishes" | "steps"> {
  return { wishes: wishes + Math.log(share), steps: steps + 1 };
}

function scoreOf({ node, wishes, steps }: Omit<OpenState, "score">, trust: number): number {
  return trust * worthOf(node) + (1 - trust) * Math.exp(wishes / Math.max(1, steps));
}

/** Readable proposals, one of each meaning, with how many meant it. */
async function merge(
  scope: SearchScope,
  proposals: readonly Proposal[],
): Promise<{ readonly proposal: Proposal; count: number }[]> {
  const wanted: { readonly proposal: Proposal; count: number }[] = [];
  for (const proposal of proposals) {
    const same = await Promise.all(wanted.map((one) => scope.alike(one.proposal.action, proposal.action)));
    const known = wanted[same.indexOf(true)];
    if (known !== undefined) known.count += 1;
    if (known === undefined && proposal.readable) wanted.push({ proposal, count: 1 });
    else discard(proposal);
  }
  return wanted;
}

/** Does it, when it is confirmed; otherwise it is given up. */
async function commit(
  scope: SearchScope,
  board: Board,
  waiting: Delayed,
  options: Options,
): Promise<SearchNode | undefined> {
  board.delayed = board.delayed.filter((one) => one !== waiting);
  const { proposal } = waiting;
  if (!(await isConfirmed(scope, waiting, options))) {
    discard(proposal);
    return undefined;
  }
  const node = await scope.take(proposal.node, proposal);
  if (node === undefined) return undefined;
  // A value that plays on must not do what only the search may decide.
  await scope.safe().evaluate([node]);
  if (node.closed) return node;
  // A refused action has changed nothing, so that all ways are still open.
  if (node.step?.valid === false) return undefined;
  for (const { proposal: other } of board.delayed) discard(other);
  board.delayed = [];
  board.committed = true;
  startFrom(board, node);
  return node;
}

async function isConfirmed(scope: SearchScope, waiting: Delayed, options: Options): Promise<boolean> {
  const { proposal, share, proposals } = waiting;
  const { node, action } = proposal;
  const said = await scope.ask(
    `Goal: ${JSON.stringify(oneLine(scope.task.goal, 600))}\n\nSo far:\n${summariseLine(node)}\n\nNext would be: ${JSON.stringify(oneLine(readActions(action)[0] ?? ""))}\nIt cannot be undone. Is it right to do it now? Answer yes or no.`,
    { answerTokens: 8 },
  );
  if (said !== undefined) return /^\W*yes\b/i.test(said);
  const again = await scope.propose(node, { count: options.confirm });
  let meant = share * proposals;
  for (const one of again) {
    if (await scope.alike(one.action, action)) meant += 1;
    discard(one);
  }
  return meant / (proposals + again.length) >= options.certainty;
}

function takeBest(states: OpenState[]): OpenState | undefined {
  const found = firstLargest(states, ({ score }) => score);
  if (found !== undefined) states.splice(states.indexOf(found), 1);
  return found;
}

function close(board: Board, chosen: SearchNode | undefined): SearchNode | undefined {
  for (const { proposal } of board.delayed) discard(proposal);
  return chosen;
}
