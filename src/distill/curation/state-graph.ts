/**
 * TopoCurate's quotient graph: all rollouts of a task laid over each other, equal states as one node. What one episode alone
 * cannot say (was this step a mistake, is there a shorter way) is read from where the others went from the same state.
 */
import type { Step, Trajectory } from "../../trajectory/index.ts";

/** A move that somebody made. */
export interface Edge {
  readonly from: string;
  readonly action: string;
  readonly to: string;
  /** Episodes that made it. */
  readonly episodes: number;
}

export interface StateGraph {
  readonly edges: readonly Edge[];
  /** Fewest moves from a state to a success that the rollouts together show; Infinity where there is none. */
  readonly distance: (state: string) => number;
}

/** A success is one place, wherever it happened; every other end is a place of its own kind. */
const WON = "won";
const END = "end";

/** A trajectory as a walk over states: where each step led is where the next began. */
export interface Move {
  readonly from: string;
  readonly action: string;
  readonly to: string;
  readonly valid: boolean;
}

export function movesOf({ steps, success, ending }: Pick<Trajectory, "steps" | "success" | "ending">): Move[] {
  return steps.map(({ stateKey, action, valid }: Step, at) => {
    const next = steps[at + 1];
    // What an episode reached with its last action is not seen; only how it ended is known.
    const end = success === true ? WON : `${END} ${ending}`;
    const to = next === undefined ? end : `state ${next.stateKey}`;
    return { from: `state ${stateKey}`, action, to, valid };
  });
}

/** Whole episodes of one task; branches must be given as whole episodes. */
export function buildStateGraph(trajectories: readonly Trajectory[]): StateGraph {
  const edges = new Map<string, Edge>();
  const entering = new Map<string, Set<string>>();
  for (const trajectory of trajectories) {
    const own = new Map(movesOf(trajectory).map((move) => [edgeKey(move), move]));
    for (const [key, { from, action, to }] of own) {
      edges.set(key, { from, action, to, episodes: (edges.get(key)?.episodes ?? 0) + 1 });
      entering.set(to, (entering.get(to) ?? new Set()).add(from));
    }
  }
  const found = distances(entering);
  return { edges: [...edges.values()], distance: (state) => found.get(state) ?? Number.POSITIVE_INFINITY };
}

/** The same move wherever it was made. */
export function edgeKey({ from, action, to }: Pick<Edge, "from" | "action" | "to">): string {
  return JSON.stringify([from, action, to]);
}

/** Breadth first, backwards from success. */
function distances(entering: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, number> {
  const found = new Map([[WON, 0]]);
  const queue = [WON];
  for (const state of queue) {
    for (const before of entering.get(state) ?? []) {
      if (found.has(before)) continue;
      found.set(before, (found.get(state) as number) + 1);
      queue.push(before);
    }
  }
  return found;
}

/** A move that leads further from success, or out of its reach, or that the world refused. */
export function isError(
  { distance }: StateGraph,
  { from, to, valid = true }: Pick<Edge, "from" | "to"> & { readonly valid?: boolean },
): boolean {
  return !valid || distance(to) > distance(from) || (distance(to) === Number.POSITIVE_INFINITY && to !== WON);
}
