/**
 * Monte Carlo tree search as a loop with exchangeable parts: descend by a rule, expand, evaluate, back up.
 *
 *   UCT:  Q(child) + c * sqrt(ln N / n)          PUCT:  Q(child) + c * P(child) * sqrt(N) / (1 + n)
 *
 * N: visits of the node; n: of the child; Q: what the method thinks of the child, by default the mean of its backups.
 * A child without visits comes first under UCT, or is scored with 1 + n (`firstScored`). What is exhausted (ended and counted, or nothing new below it) is passed
 * over, so that a small world is searched to its end and then left alone.
 */
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import type { Need } from "../walk/purse.ts";
import { isSolved } from "./worth.ts";
import { lineTo, nodesBelow, type SearchNode } from "../walk/tree/node.ts";
import type { SearchScope } from "./search.ts";

export const treeOptions = {
  select: option.choice(
    "uct",
    ["uct", "puct"],
    "the rule of descent; puct weighs by how likely the policy finds an action",
  ),
  exploration: option.number(1, "c: how much little-visited children are preferred", { least: 0 }),
  iterations: option.count(64, "rounds at most"),
  // They are chosen one after another, each as if the ones before had come to nothing.
  parallel: option.count(1, "leaves of one round, chosen with virtual loss; another number gives another tree"),
  patience: option.count(2, "fruitless askings after which a node has no new children"),
  stop: option.flag(true, "stop once an episode has ended with value 1"),
} as const;

/** The options, and what a method puts in: N, n and Q as above, c is `exploration`. */
export interface TreeRules extends OptionValues<typeof treeOptions> {
  /** New children of a node; none when nothing new came. */
  readonly grow: (scope: SearchScope, node: SearchNode) => Promise<readonly SearchNode[]>;
  /** What growing the dearest of these nodes may take. */
  readonly need: (nodes: readonly SearchNode[]) => Need;
  /** A round begins at the best of all children in the tree. Default: at the root, and down by the best child of each. */
  readonly everywhere?: boolean;
  /** What selection thinks of a child; without visits it is asked where `visits` counts it above 0, and by PUCT. */
  readonly quality?: (child: SearchNode) => number;
  /** UCT with 1 + n in its root, so that a child without visits has a finite score. Default: n, and such a child first. */
  readonly firstScored?: boolean;
  /** Sees a node's new children before any is chosen: to rank them, to merge them. */
  readonly grown?: (scope: SearchScope, node: SearchNode, children: readonly SearchNode[]) => Promise<void>;
  /** A value that is known without asking: of the same state elsewhere. */
  readonly recall?: (node: SearchNode) => number | undefined;
  /** Puts a value into the tree. Default: along the line to the root. */
  readonly backUp?: (node: SearchNode, value: number) => void;
  /** Visits that N counts. Default: the node's own. */
  readonly visits?: (node: SearchNode) => number;
  /** Whether a node that has children is to have further ones before any of them is gone to. Default: no. */
  readonly reopens?: (node: SearchNode) => boolean;
}

/** Rounds in a row that brought nothing: the budget is spent, whatever small change is left. */
const MOST_IDLE = 64;

interface Growth {
  expanded: boolean;
  fruitless: number;
  exhausted: boolean;
}

/** Searches until nothing is left: rounds, budget, or the tree itself. Gives every node that was evaluated. */
export async function walkTree(scope: SearchScope, rules: TreeRules): Promise<readonly SearchNode[]> {
  const growth = new Map<SearchNode, Growth>();
  const of = (node: SearchNode): Growth => {
    const known = growth.get(node) ?? { expanded: false, fruitless: 0, exhausted: false };
    growth.set(node, known);
    return known;
  };
  const evaluated: SearchNode[] = [];
  let idle = 0;
  for (let round = 0; round < rules.iterations && idle < MOST_IDLE && !of(scope.root).exhausted; round += 1) {
    const chosen = chooseLeaves(scope.root, rules, of);
    const reached = await scope.each(chosen, (own, leaf) => open(own, leaf, rules, of), { need: rules.need(chosen) });
    const fresh = reached.filter((node) => node !== undefined);
    for (const node of fresh) if (!node.closed) node.estimate ??= rules.recall?.(node);
    await scope.evaluate(fresh);
    for (const node of fresh) {
      const own = of(node);
      if (node.estimate !== undefined) (rules.backUp ?? backUp)(node, node.estimate);
      else own.fruitless += 1;
      own.exhausted ||= node.closed || own.fruitless >= rules.patience;
      settle(node, rules, of);
    }
    for (const leaf of chosen) settle(leaf, rules, of);
    evaluated.push(...fresh);
    idle = fresh.some(({ estimate }) => estimate !== undefined) ? 0 : idle + 1;
    if (rules.stop && anySolved(fresh)) break;
  }
  return evaluated;
}

/** Adds one visit and the value to the node and all above it. */
export function backUp(node: SearchNode, value: number): void {
  for (const above of lineTo(node)) {
    above.visits += 1;
    above.total += value;
  }
}

/** The leaves of a round, with a virtual loss on the lines of those chosen before. */
function chooseLeaves(root: SearchNode, rules: TreeRules, of: (node: SearchNode) => Growth): SearchNode[] {
  const chosen: SearchNode[] = [];
  for (let count = 0; count < rules.parallel; count += 1) {
    const leaf = descend(rules.everywhere === true ? bestOfAll(root, rules, of) : root, rules, of);
    if (leaf === undefined || chosen.includes(leaf)) break;
    chosen.push(leaf);
    for (const above of lineTo(leaf)) above.visits += 1;
  }
  for (const leaf of chosen) for (const above of lineTo(leaf)) above.visits -= 1;
  return chosen;
}

/** Down to a node that was not evaluated yet, or not expanded, or needs further children. */
function descend(start: SearchNode, rules: TreeRules, of: (node: SearchNode) => Growth): SearchNode | undefined {
  for (let node = start; ;) {
    const { expanded, exhausted } = of(node);
    if (exhausted) return undefined;
    if (node.parent !== undefined && node.visits === 0) return node;
    if (!expanded || rules.reopens?.(node) === true) return node;
    const next = bestChild(node, rules, of)?.child;
    if (next === undefined) return node;
    node = next;
  }
}

/** Of all children in the tree; the root where there is none. */
function bestOfAll(root: SearchNode, rules: TreeRules, of: (node: SearchNode) => Growth): SearchNode {
  let best: Scored | undefined;
  const open = [root];
  for (let node = open.shift(); node !== undefined; node = open.shift()) {
    const own = bestChild(node, rules, of);
    if (own !== undefined && (best === undefined || own.score > best.score)) best = own;
    open.push(...node.children.filter((child) => !of(child).exhausted));
  }
  return best?.child ?? root;
}

interface Scored {
  readonly child: SearchNode;
  readonly score: number;
}

function bestChild(node: SearchNode, rules: TreeRules, of: (node: SearchNode) => Growth): Scored | undefined {
  const { visits = ({ visits: own }) => own } = rules;
  const priors = rules.select === "puct" ? priorsOf(node.children) : [];
  let best: Scored | undefined;
  for (const [at, child] of node.children.entries()) {
    if (of(child).exhausted || child.dropped) continue;
    const score = selectionScore(child, { ...rules, parentVisits: visits(node), visits, prior: priors[at] ?? 0 });
    if (best === undefined || score > best.score) best = { child, score };
  }
  return best;
}

interface Selection extends Pick<TreeRules, "select" | "exploration" | "quality" | "firstScored"> {
  readonly parentVisits: number;
  readonly visits: (node: SearchNode) => number;
  readonly prior: number;
}

export function selectionScore(
  child: SearchNode,
  { select, exploration, quality = ({ mean }) => mean, firstScored = false, parentVisits, visits, prior }: Selection,
): number {
  const count = visits(child) + Number(firstScored && select === "uct");
  if (select === "puct") return quality(child) + (exploration * prior * Math.sqrt(parentVisits)) / (1 + count);
  if (count === 0) return Number.POSITIVE_INFINITY;
  return quality(child) + exploration * Math.sqrt(Math.log(Math.max(1, parentVisits)) / count);
}

/**
 * How likely the policy finds each child, in shares: its probability of the first answer that came to it. Equal answers
 * are merged, and how often one came counts where log-probabilities are unknown.
 */
export function priorsOf(children: readonly SearchNode[]): number[] {
  const known = children.every(({ logprob }) => logprob !== undefined);
  const most = known ? Math.max(...children.map(({ logprob }) => logprob ?? 0)) : 0;
  const raw = children.map(({ logprob, copies }) => (known ? Math.exp((logprob ?? 0) - most) : copies));
  const total = raw.reduce((sum, value) => sum + value, 0);
  return raw.map((value) => value / total);
}

/** The node that is to be evaluated: the leaf itself the first time, a new child of it after that. */
async function open(
  scope: SearchScope,
  leaf: SearchNode,
  rules: TreeRules,
  of: (node: SearchNode) => Growth,
): Promise<SearchNode | undefined> {
  if (leaf.parent !== undefined && leaf.visits === 0) return leaf;
  const children = await rules.grow(scope, leaf);
  const own = of(leaf);
  own.expanded = true;
  own.fruitless = children.length === 0 ? own.fruitless + 1 : 0;
  if (children.length === 0) return undefined;
  await rules.grown?.(scope, leaf, children);
  return bestChild(leaf, rules, of)?.child;
}

/** Marks what has nothing new below it, from a node upwards. */
function settle(node: SearchNode, rules: TreeRules, of: (node: SearchNode) => Growth): void {
  for (let at: SearchNode | undefined = node; at !== undefined; at = at.parent) {
    const own = of(at);
    const spent = own.expanded && own.fruitless >= rules.patience;
    own.exhausted ||= at.dropped || (spent && at.children.every((child) => of(child).exhausted));
  }
}

/** An ended episode that is right, also among the continuations that gave a node its value. */
export function anySolved(nodes: readonly SearchNode[]): boolean {
  return nodes.some((node) => isSolved(node) || node.simulations.some((one) => nodesBelow(one).some(isSuccess)));
}

function isSuccess({ ending, success }: SearchNode): boolean {
  return ending !== undefined && success === true;
}
