/** SimpleTES: parallel chains of evaluate-and-refine; each step builds on several earlier attempts, and the best candidate is kept. */
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import type { Rng } from "limbeck-base/base/rng";
import { retry, walkEach, type Start } from "./attempts.ts";
import { listAttempts } from "./line-summary.ts";
import { firstLargest } from "../walk/shares.ts";
import { isSolved, worthOf } from "./worth.ts";
import { defineSearch, type SearchNode, type SearchScope } from "./search.ts";

interface Attempt {
  readonly node: SearchNode;
  readonly worth: number;
  readonly parents: readonly Attempt[];
}

interface Chain {
  /** What it may build on, best first. */
  history: readonly Attempt[];
  /** Kept since it was last cut to its best. */
  fresh: number;
  rounds: number;
  uses: Map<Attempt, number>;
}

const options = {
  chains: option.count(4, "chains side by side"),
  candidates: option.count(4, "attempts of a step, of which the best is kept"),
  depth: option.count(7, "steps of a chain"),
  inspirations: option.count(5, "earlier attempts that a step builds on"),
  select: option.choice("balance", ["balance", "rpucg"], "by lot among the best, or by rank of value and curiosity"),
  explore: option.number(0.5, "weight of curiosity, for rpucg", { least: 0 }),
  decay: option.share(0.8, "how much of a child's value its parents have, for rpucg"),
  restart: option.count(50, "kept attempts after which a chain is cut to its best"),
  advise: option.flag(false, "show the model the attempts that a step builds on, for models that read advice"),
};

type Options = OptionValues<typeof options>;

export const simpleTes = defineSearch({
  info: {
    title: "SimpleTES",
    paper: "Evaluation-driven Scaling for Scientific Discovery",
    confidence: "code",
    source:
      "wq-will/SimpleTES @ 18b5d672; simpletes/policies/base.py: TrajectoryPolicyBase, balance.py: balanced_sample, rpucg.py: RpucgPolicy, config.py",
    formula: [
      "chain   = `chains` of them side by side; a step builds on up to `inspirations` of its attempts, and tries `candidates`",
      "kept    = the best candidate of a step, even if it is worse than what it was built on",
      "balance = the best attempt always; the others 70% from the best fifth, 20% from the middle (10% to 60%), 10% from all",
      "rpucg   = largest rank(V) + explore rank(worth) sqrt(1 + steps) / (1 + uses), V = max(worth, decay max V of children); none next to a chosen one",
      "restart = after so many kept attempts a chain has its best alone",
    ],
    meaning: "Evaluation-driven search: width, depth and candidates of refinement chains under one budget.",
    departures: [
      "An attempt is an episode, not a program. A candidate goes on from where one of the attempts it builds on went wrong: its first refused or repeated step, or its middle. The candidates of a step take these in turn, in the order in which they were chosen (balance: the best, then as drawn; rpucg: by its rank), and advise lists them so; with more attempts than candidates the last start none, but count as built on. Published candidates share one prompt (temperature 0.7) with score, metrics and code of all, sorted by score; here they are shown (as actions) with advise alone.",
      "A chain begins with attempts of the policy; the published code begins with a program that is given, the best of 16 evaluations of it.",
      "All chains take a step at the same time, 7 each, which are 112 candidates; the published ones do not wait for each other, and share 100 candidates: 25 steps, at most 7 of a chain.",
      "What failed (the ten most frequent errors stand in the published prompt) and the model's reflections are not collected. An attempt that broke is never kept there; here it counts with what it is worth.",
      "Published code has the selectors puct, llm_elite and llm_refine too; it names rpucg as the paper's way.",
      "Of equal attempts the earlier ranks first and is the answer, so that among failures of worth 0 it is the first; published code orders equals of a chain by an id drawn by chance. An attempt that did not end counts too.",
      "It stops once an attempt is solved; the published search only at a score that its caller sets.",
    ],
  },
  options,
  create: (options) => ({
    run: async (scope) => {
      const chains = Array.from({ length: options.chains }, newChain);
      const all: Attempt[] = [];
      for (let round = 0; round < options.depth; round += 1) {
        const rng = scope.rng.split(`round ${round}`);
        const parents = chains.map((chain, at) => inspire(chain, all, options, rng.split(at)));
        const starts = parents.flatMap((own) => startsOf(scope, own, options));
        // All chains take their step at the same time, so that what they find does not depend on who is quicker.
        const ends = await walkEach(scope, starts);
        if (ends.every((end) => end === undefined)) break;
        for (const [at, chain] of chains.entries()) {
          const own = ends.slice(at * options.candidates, (at + 1) * options.candidates);
          const born = own.flatMap((node) =>
            node === undefined ? [] : [{ node, worth: worthOf(node), parents: parents[at] ?? [] }],
          );
          if (round > 0) for (const { node } of born) node.info = { ...node.info, refinement: round };
          all.push(...born);
          keep(chain, born, parents[at] ?? [], options.restart);
        }
        if (all.some(({ node }) => isSolved(node))) break;
      }
      return firstLargest(all, ({ worth }) => worth)?.node;
    },
  }),
});

function newChain(): Chain {
  return { history: [], fresh: 0, rounds: 0, uses: new Map() };
}

function inspire(chain: Chain, all: readonly Attempt[], options: Options, rng: Rng): readonly Attempt[] {
  const { inspirations: count, explore, decay } = options;
  if (options.select === "balance") return chooseByLot(chain.history, count, () => rng.float());
  const uses = (attempt: Attempt): number => chain.uses.get(attempt) ?? 0;
  return chooseByRank(chain.history, all, { count, explore, decay, uses, rounds: chain.rounds });
}

/** The candidates of one step: from the opening, or from the attempts they build on, in turn. */
function startsOf(scope: SearchScope, parents: readonly Attempt[], { candidates, advise }: Options): Start[] {
  const guidance = listAttempts(
    scope.task.goal,
    parents.map(({ node }) => node),
  );
  return Array.from({ length: candidates }, (_, at) => {
    const parent = parents[at % Math.max(1, parents.length)];
    if (parent === undefined) return { from: scope.root };
    return { ...retry(parent.node, "none"), ...(advise ? { guidance } : {}) };
  });
}

/** Takes the best candidate in, and cuts the chain to its best attempt when it is time. */
function keep(chain: Chain, born: readonly Attempt[], parents: readonly Attempt[], restart: number): void {
  const best = firstLargest(born, ({ worth }) => worth);
  for (const parent of parents) chain.uses.set(parent, (chain.uses.get(parent) ?? 0) + 1);
  chain.rounds += 1;
  if (best === undefined) return;
  chain.history = [...chain.history, best].toSorted((left, right) => right.worth - left.worth);
  chain.fresh += 1;
  if (chain.fresh >= restart) Object.assign(chain, { ...newChain(), history: chain.history.slice(0, 1) });
}

// Which earlier attempts of a chain a new one builds on: by lot among the best, or by value and curiosity.

/** Shares of the draws that go to the best attempts and to the middle, and how large those parts are. */
const BEST = { share: 0.7, until: 0.2 };
const MIDDLE = { share: 0.2, from: 0.1, until: 0.6 };

/**
 * So many of a chain's attempts, given best first. The best is always among them; each further one is drawn from the best
 * fifth, from the middle, or from all. `draw` gives numbers from 0 to 1, two for each.
 */
export function chooseByLot<Item>(ranked: readonly Item[], count: number, draw: () => number): Item[] {
  if (ranked.length <= count) return [...ranked];
  const size = ranked.length;
  const part = (share: number): number => Math.floor(size * share);
  const best = ranked.slice(0, Math.max(1, part(BEST.until)));
  const middle = ranked.slice(Math.max(1, part(MIDDLE.from)), Math.max(2, part(MIDDLE.until)));
  const chosen = new Set(ranked.slice(0, Math.min(1, count)));
  while (chosen.size < count) {
    const lot = draw();
    const from = lot < BEST.share ? best : lot < BEST.share + MIDDLE.share ? middle : ranked;
    const fresh = from.filter((item) => !chosen.has(item));
    const open = fresh.length > 0 ? fresh : ranked.filter((item) => !chosen.has(item));
    chosen.add(open[Math.floor(draw() * open.length)] as Item);
  }
  return [...chosen];
}

/** An attempt with those it was built on. */
interface Built<Self> {
  readonly worth: number;
  readonly parents: readonly Self[];
}

interface RankedOptions<Item> {
  readonly count: number;
  /** Weight of curiosity. */
  readonly explore: number;
  /** How much of a child's value its parents have. */
  readonly decay: number;
  /** How often an attempt of this chain was built on, and how often the chain has been. */
  readonly uses: (item: Item) => number;
  readonly rounds: number;
}

/** Of each value the share of all that are below it. */
export function ranksOf(values: readonly number[]): number[] {
  const sorted = values.toSorted((left, right) => left - right);
  return values.map((value) => sorted.indexOf(value) / values.length);
}

/**
 * So many of a chain's attempts by rank(V) + explore rank(worth) sqrt(1 + rounds) / (1 + uses); neither parents nor children of a
 * chosen one. V is the worth, or decay times the largest V of its children. Ranks are among the attempts of all chains,
 * given in the order in which they were made.
 */
export function chooseByRank<Item extends Built<Item>>(
  chain: readonly Item[],
  population: readonly Item[],
  { count, explore, decay, uses, rounds }: RankedOptions<Item>,
): Item[] {
  const children = new Map<Item, Item[]>();
  for (const item of population) {
    for (const parent of item.parents) children.set(parent, [...(children.get(parent) ?? []), item]);
  }
  const values = new Map<Item, number>();
  for (const item of population.toReversed()) {
    const below = (children.get(item) ?? []).map((child) => decay * (values.get(child) ?? Number.NEGATIVE_INFINITY));
    values.set(item, Math.max(item.worth, ...below));
  }
  const byValue = ranksOf(population.map((item) => values.get(item) as number));
  const byWorth = ranksOf(population.map(({ worth }) => worth));
  const place = new Map(population.map((item, at) => [item, at]));
  const score = (item: Item): number => {
    const at = place.get(item) ?? -1;
    const curiosity = ((byWorth[at] ?? 0) * Math.sqrt(1 + rounds)) / (1 + uses(item));
    return (byValue[at] ?? 0) + explore * curiosity;
  };
  const scores = new Map(chain.map((item) => [item, score(item)]));
  const order = chain.toSorted((left, right) => (scores.get(right) as number) - (scores.get(left) as number));
  const [chosen, near] = [[] as Item[], new Set<Item>()];
  for (const item of order) {
    if (chosen.length >= count) break;
    if (near.has(item)) continue;
    chosen.push(item);
    for (const other of [item, ...item.parents, ...(children.get(item) ?? [])]) near.add(other);
  }
  return chosen;
}
