/** WebOperator: actions wait in a small frontier by what a judge says of them; what cannot be undone waits longest. */
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { isSolved, worthiestNode, worthOf } from "./worth.ts";
import { oneLine, readActions, readChoice, summariseLine } from "./line-summary.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { discard, type Proposal } from "../walk/tree/search.ts";
import { defineSearch, type SearchScope } from "./search.ts";

const options = {
  candidates: option.count(3, "proposals when a state is expanded"),
  frontier: option.count(4, "actions that wait at most, one less after each that cannot be taken back"),
  solutions: option.count(2, "ends that are known before one is chosen"),
  expansions: option.count(20, "actions that are carried out"),
  depth: option.count(20, "steps of a line, but for its end"),
  reserve: option.share(0.2, "share of the budget kept for what waits"),
  confirm: option.count(0, "further proposals before what cannot be taken back; 0: it is not confirmed", 0),
  certainty: option.share(0.5, "share of proposals that must mean it, where it is confirmed"),
  verify: option.flag(true, "replay and compare before going back to an earlier state"),
};

type Options = OptionValues<typeof options>;

export const weboperator = defineSearch({
  info: {
    title: "WebOperator",
    paper: "WebOperator: Action-Aware Tree Search for Autonomous Agents in Web Environment",
    confidence: "code",
    source:
      "kagnlp/WebOperator @ 36a88e0d; weboperator/action_selector.py: ActionSelector, action_queue_manager.py: ActionQueueManager, action_processor.py: merge_actions",
    formula: [
      "score(action) = sum of the judge's scores of the proposals that mean it",
      "carried out: the best that does not end the episode, can be taken back and was not done three times in a row",
      "with more than `frontier` waiting, or two that cannot be taken back: the best of all, and an end before the latter",
      "an end waits for `solutions` of them or 0.8 expansions, and for a cut (while one that cannot be taken back waits below it: until something was done for good); where only such and repeated ones are left, for a cut or something done for good",
      "cut before new ones come: one end, one final and one repeated action stay, then the worst go down to `frontier`",
      "after what cannot be taken back: nothing else waits, and `frontier` is one less",
    ],
    meaning: "Best-first search over actions in which irreversible ones wait and are done once or not at all.",
    departures: [
      "The judge is the text model, a number from 1 to 10 for each meaning, times how many proposals meant it; it reads the goal, the actions so far and 160 characters of what was seen last, the published one the whole page and its own earlier marks. Without one it is the worth of the state to which the action leads, or at which it waits if it cannot be taken back. The published judge rates each proposal and its reasons by a checklist of the task: the mean over its items of p(yes) + p(in progress) / 2.",
      "What can be taken back is tried in a copy of the world when it is proposed, so that ends are known; the published code knows them by their kind. The world says what cannot be taken back; published code guesses it from buttons and the Enter key, and learns it from the requests that were sent.",
      "When expansions, the budget (reserve is ours) or what waits are over the best end is chosen, without one the best that cannot be taken back, which is how many worlds here end, and without either it stays where it stands; the published code gives up. An end that the search sees to be right is taken at once.",
      "Published code drops an end that one proposal of several, or at most a third of them, meant, counts all ends of a state as one action, and has 19 steps and an end in a line; here no end is dropped, ends are one where they mean the same, and depth allows 20 steps and an end. After the 20th action published code asks for actions once more, and an end among them may be chosen; here it chooses among what waits. Ends that are passed over stay in the frontier; the published code loses them where too many wait.",
      "The published cut first drops what waits at a page to which no address leads back, takes all actions but clicks, fills and selections for doubles of one another, and never calls scrolling repeated; here only equal actions are doubles, and all count. Below something done for good, until the address changes, published code takes an end at once and drops what waits elsewhere; here both wait as anywhere.",
      "Left out, which is ours: refused actions, and those that lead to a place that was met with the same knowledge. Published code asks anew, up to six times, for an action that is not valid or would be the fourth of its kind in a row.",
      "confirm and certainty are ours: a vote of further proposals, or the text model's yes or no.",
      "Before it goes back it replays the line from a fresh opening and compares every step; a state that is not reached again is dropped. Published code opens the nearest address that keeps the state and compares the elements that the actions use, none before an end. After something was done for good nothing is replayed here, since that would do it again; every open state has its copy. Published code leaves a page for what waits elsewhere only where an address leads back to it; an action chosen in vain is lost.",
      "Candidates come from several draws of one prompt; published are three prompts: plain, with retrieved examples, with the goal in other words.",
    ],
  },
  options,
  create: (options) => ({ run: (scope) => explore(scope, options) }),
});

/** An action that waits: a proposal that cannot be taken back, or a node that it led to in a copy. */
interface Action extends Waiting {
  readonly from: SearchNode;
  readonly proposal: Proposal;
  /** Of all proposals there. */
  readonly proposals: number;
  readonly node: SearchNode | undefined;
}

interface Board {
  readonly frontier: Frontier<Action>;
  /** Places that were met since the last thing that was done for good. */
  met: Set<string>;
  /** Ends that were reached since. */
  reached: SearchNode[];
  expanded: number;
  /** Where the search stands. */
  last: SearchNode;
  /** Something was done for good. */
  committed: boolean;
}

async function explore(scope: SearchScope, options: Options): Promise<SearchNode | undefined> {
  const frontier = new Frontier<Action>({ ...options, size: options.frontier });
  const met = new Set([knowledgeAt(scope.root)]);
  const board: Board = { frontier, met, reached: [], expanded: 0, last: scope.root, committed: false };
  let place: SearchNode | undefined = scope.root;
  for (;;) {
    let isOver = board.expanded >= options.expansions || scope.left() <= options.reserve;
    if (place !== undefined && !isOver) isOver = !(await expand(scope, board, place, options));
    const solved = board.reached.find(isSolved);
    if (solved !== undefined) return close(board, solved);
    const action = isOver ? frontier.last() : frontier.next(board.expanded);
    if (action === undefined) return close(board, worthiestNode(board.reached) ?? board.last);
    if (action.ends) return close(board, action.node);
    const next = await carryOut(scope, board, action, options);
    // Of a refused or unconfirmed action, or a state that is not reached again, there is nothing to expand.
    if (next?.closed === true) return close(board, next);
    if (next !== undefined) board.expanded += 1;
    place = next;
  }
}

/** A page that was seen before is another place once something else was read in between; only a loop is nothing new. */
function knowledgeAt(node: SearchNode): string {
  const seen = new Set(lineTo(node).map(({ stateKey }) => stateKey));
  return JSON.stringify([node.stateKey, ...[...seen].toSorted()]);
}

/** Adds the actions at a state. False when nothing could be paid. */
async function expand(scope: SearchScope, board: Board, place: SearchNode, options: Options): Promise<boolean> {
  const safe = scope.safe();
  const proposals = await safe.propose(place, { count: options.candidates });
  if (proposals.length === 0) return false;
  const wanted = await merge(scope, proposals);
  const open: Omit<Action, "score">[] = [];
  for (const { proposal, count } of wanted) {
    const { action } = proposal;
    const isFinal = await safe.irreversible(place, action);
    const common = { from: place, proposal, proposals: proposals.length, action, count, isFinal };
    const repeats = isRepeated(place, action);
    if (isFinal) {
      place.info = { ...place.info, delayed: action };
      open.push({ ...common, repeats, ends: false, node: undefined });
      continue;
    }
    const node = await safe.take(place, proposal);
    if (node === undefined || node.step?.valid === false || !isNews(board, node, options.depth)) continue;
    open.push({ ...common, repeats, ends: node.closed, node });
  }
  await safe.evaluate(open.flatMap(({ node }) => node ?? []));
  board.reached.push(...open.flatMap(({ node }) => (node?.closed === true ? [node] : [])));
  const actions: Action[] = [];
  for (const one of open) actions.push({ ...one, score: one.count * (await judge(scope, one)) });
  const [only] = wanted;
  board.frontier.add(actions, wanted.length === 1 && (only?.count ?? 0) > 1 && actions[0]?.ends === true);
  return true;
}

/** It ends, or leads to somewhere new that is not too deep. */
function isNews(board: Board, node: SearchNode, depth: number): boolean {
  if (node.closed) return !node.dropped;
  const knowledge = knowledgeAt(node);
  if (node.depth > depth || board.met.has(knowledge)) return false;
  board.met.add(knowledge);
  return true;
}

/** The action was done twice in a row before this. */
function isRepeated(place: SearchNode, action: string): boolean {
  return place.action === action && place.parent?.action === action;
}

/** What a single proposal of this is worth, from 0 to 1. */
async function judge(
  scope: SearchScope,
  { from, node, action }: Pick<Action, "from" | "node" | "action">,
): Promise<number> {
  const said = scope.canAsk
    ? await scope.ask(
        `${nextAction(scope, from, action)}\nHow much nearer to the goal is that, from 1 (not at all) to 10 (it is the step to take)? Answer with the number alone.`,
        { answerTokens: 8 },
      )
    : undefined;
  const chosen = readChoice(said, 10);
  return chosen === undefined ? worthOf(node ?? from) : (chosen + 1) / 10;
}

function nextAction(scope: SearchScope, from: SearchNode, action: string): string {
  return `Goal: ${JSON.stringify(oneLine(scope.task.goal, 600))}\n\nSo far:\n${summariseLine(from)}\n\nNext would be: ${JSON.stringify(oneLine(readActions(action)[0] ?? ""))}`;
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

/** Where it leads; undefined when it is not done. */
async function carryOut(
  scope: SearchScope,
  board: Board,
  action: Action,
  options: Options,
): Promise<SearchNode | undefined> {
  const { node, proposal } = action;
  if (node !== undefined) {
    if (options.verify && isWayBack(board, node) && !(await scope.safe().verify(node))) return undefined;
    board.last = node;
    return node;
  }
  if (options.confirm > 0 && !(await isConfirmed(scope, action, options))) {
    discard(proposal);
    return undefined;
  }
  const done = await scope.take(proposal.node, proposal);
  if (done === undefined) return undefined;
  // A value that plays on must not do what only the search may decide.
  await scope.safe().evaluate([done]);
  // A refused action has changed nothing, so that all ways are still open.
  if (done.closed || done.step?.valid === false) return done.closed ? done : undefined;
  close(board, undefined);
  board.frontier.doneForGood();
  Object.assign(board, { committed: true, reached: [], met: new Set([knowledgeAt(done)]), last: done });
  return done;
}

/** It does not go on from where the search stands; from what was done for good nothing is replayed, that would do it again. */
function isWayBack({ last, committed }: Board, node: SearchNode): boolean {
  return !committed && node.parent !== last;
}

async function isConfirmed(scope: SearchScope, waiting: Action, options: Options): Promise<boolean> {
  const { proposal, count, proposals } = waiting;
  const { node, action } = proposal;
  const said = await scope.ask(
    `${nextAction(scope, node, action)}\nIt cannot be undone. Is it right to do it now? Answer yes or no.`,
    { answerTokens: 8 },
  );
  if (said !== undefined) return /^\W*yes\b/i.test(said);
  const again = await scope.propose(node, { count: options.confirm });
  let meant = count;
  for (const one of again) {
    if (await scope.alike(one.action, action)) meant += 1;
    discard(one);
  }
  return meant / (proposals + again.length) >= options.certainty;
}

/** Lets go of what waits. */
function close({ frontier }: Board, chosen: SearchNode | undefined): SearchNode | undefined {
  for (const { proposal, node } of frontier.waiting) if (node === undefined) discard(proposal);
  return chosen;
}

// Actions that wait to be carried out: few are kept, and what ends the episode or cannot be taken back waits longest.

export interface Waiting {
  readonly score: number;
  /** How many proposals meant it. */
  readonly count: number;
  readonly action: string;
  /** It ends the episode, and nothing else. */
  readonly ends: boolean;
  /** Nothing takes it back. */
  readonly isFinal: boolean;
  /** It was the last action several times in a row. */
  readonly repeats: boolean;
}

export interface FrontierLimits {
  /** Actions that are kept; one less after each that nothing takes back. */
  readonly size: number;
  /** Ends that are known before one is chosen. */
  readonly solutions: number;
  /** Actions that are carried out at most. */
  readonly expansions: number;
}

/** Share of the expansions after which ends no longer wait for others. */
const LATE = 0.8;
const MOST_CUTS = 3;

export class Frontier<Item extends Waiting> {
  readonly limits: FrontierLimits;
  /** Best first. */
  #queue: readonly Item[] = [];
  #size: number;
  /** Actions that were done for good. */
  #done = 0;
  #cuts = 0;
  #solutions = 0;

  constructor(limits: FrontierLimits) {
    this.limits = limits;
    this.#size = limits.size;
  }

  get waiting(): readonly Item[] {
    return this.#queue;
  }

  /** New actions. What is too much is cut before they come. `agreed`: all proposals mean the same end, nothing else counts. */
  add(items: readonly Item[], agreed = false): void {
    if (this.#queue.length > this.#size) {
      this.#queue = cutTo(this.#queue, this.#size);
      this.#cuts += 1;
    }
    this.#solutions += items.filter(({ ends }) => ends).length;
    this.#queue = [...(agreed ? [] : this.#queue), ...items].toSorted(
      (left, right) => right.score - left.score || right.count - left.count,
    );
  }

  /** Something was done for good: all that was open is out of reach. */
  doneForGood(): void {
    this.#queue = [];
    this.#size = Math.max(1, this.#size - 1);
    this.#done += 1;
  }

  /** The action that is carried out next, after so many; it no longer waits. */
  next(expanded: number): Item | undefined {
    const chosen = expanded >= this.limits.expansions ? this.#bestEnd : this.#choose(expanded);
    return this.#take(chosen);
  }

  /** What is left when nothing more can be explored: the best end, else the best that nothing takes back. */
  last(): Item | undefined {
    return this.#take(this.#bestEnd ?? this.#queue.find(({ isFinal }) => isFinal));
  }

  #take(chosen: Item | undefined): Item | undefined {
    this.#queue = this.#queue.filter((item) => item !== chosen);
    return chosen;
  }

  get #bestEnd(): Item | undefined {
    return this.#queue.find(({ ends }) => ends);
  }

  #choose(expanded: number): Item | undefined {
    const queue = this.#queue;
    const isEarly = this.#solutions < this.limits.solutions && expanded < LATE * this.limits.expansions;
    const mayEnd = this.#done > 0 || this.#cuts > 0;
    if (queue.length > this.#size || finalsOf(queue) > 1) {
      const first = queue.find(({ ends }) => !(ends && isEarly && this.#cuts < MOST_CUTS));
      if (first !== undefined) return first.isFinal && mayEnd ? (this.#bestEnd ?? first) : first;
    }
    const usual = queue.find(({ ends, isFinal, repeats }, at) => {
      if (isFinal || repeats) return false;
      if (!ends) return true;
      // Only what is rated lower is looked at, as in published code.
      const finals = finalsOf(queue.slice(at + 1));
      return !isEarly && (finals > 0 ? this.#done > 0 : this.#cuts > 0);
    });
    if (usual !== undefined) return usual;
    if (mayEnd && this.#bestEnd !== undefined) return this.#bestEnd;
    return queue.find(({ ends }) => !ends) ?? this.#bestEnd;
  }
}

function finalsOf(queue: readonly Waiting[]): number {
  return queue.filter(({ isFinal }) => isFinal).length;
}

type Kind = "end" | "final" | "repeated";

function kindOf({ ends, isFinal, repeats }: Waiting): Kind | undefined {
  if (ends) return "end";
  if (isFinal) return "final";
  return repeats ? "repeated" : undefined;
}

/** One end, one that nothing takes back and one repeated action; then the worst go, those first that have a better equal. */
function cutTo<Item extends Waiting>(queue: readonly Item[], size: number): Item[] {
  const kinds = new Set<Kind>();
  const kept = queue.filter((item) => {
    const kind = kindOf(item);
    if (kind === undefined) return true;
    if (kinds.has(kind)) return false;
    kinds.add(kind);
    return true;
  });
  while (kept.length > size) {
    const doubled = kept.findLastIndex(({ action }, at) => kept.findIndex((other) => other.action === action) < at);
    kept.splice(doubled < 0 ? kept.length - 1 : doubled, 1);
  }
  return kept;
}
