/**
 * Which trajectories to learn from and which tasks to train on, by the shape of a task's state graph (TopoCurate).
 *
 *   trajectory:  recovery + efficiency + rarity      task:  error-branch ratio + heterogeneity of ways
 *
 * The published weights are not known; all are 1 here, and every part lies between 0 and 1.
 */
import { byTask } from "limbeck-base/trajectory/rows";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";

export interface TrajectoryTopology {
  /** k / (k + 1) for k mistakes in a row or alone that were made good again. */
  readonly recovery: number;
  /** The shortest way known over its own. */
  readonly efficiency: number;
  /** Mean over its moves of 1 / episodes that made the same move. */
  readonly rarity: number;
}

/** What a success is worth as an example; 0 in all for an episode that did not succeed. */
export function measureTrajectoryTopology(graph: StateGraph, trajectory: Trajectory): TrajectoryTopology {
  const moves = movesOf(trajectory);
  const [first] = moves;
  if (trajectory.success !== true || first === undefined) return { recovery: 0, efficiency: 0, rarity: 0 };
  const wrong = moves.map((move) => isError(graph, move));
  const runs = wrong.filter((one, at) => one && wrong[at - 1] !== true).length;
  const episodes = new Map(graph.edges.map((edge) => [edgeKey(edge), edge.episodes]));
  const shares = moves.map((move) => 1 / (episodes.get(edgeKey(move)) ?? 1));
  return {
    recovery: runs / (runs + 1),
    efficiency: Math.min(1, graph.distance(first.from) / moves.length),
    rarity: shares.reduce((sum, share) => sum + share, 0) / shares.length,
  };
}

export interface TaskTopology {
  /** Moves that lead away from success, over all moves that were made; each counted once. */
  readonly errorBranches: number;
  /** Entropy of the ways taken, over its greatest value: 0 where all went the same way, 1 where no two did. */
  readonly heterogeneity: number;
}

export function measureTaskTopology(trajectories: readonly Trajectory[]): TaskTopology {
  const { edges, distance } = buildStateGraph(trajectories);
  const wrong = edges.filter((edge) => isError({ edges, distance }, edge)).length;
  const ways = new Map<string, number>();
  for (const trajectory of trajectories) {
    const way = JSON.stringify(movesOf(trajectory).map(({ from, to }) => [from, to]));
    ways.set(way, (ways.get(way) ?? 0) + 1);
  }
  const count = trajectories.length;
  const entropy = [...ways.values()].reduce((sum, many) => sum - (many / count) * Math.log(many / count), 0);
  return {
    errorBranches: edges.length === 0 ? 0 : wrong / edges.length,
    heterogeneity: count < 2 ? 0 : entropy / Math.log(count),
  };
}

export interface CurationWeights {
  readonly recovery?: number;
  readonly efficiency?: number;
  readonly rarity?: number;
}

/**
 * The ids of the best `perTask` successes of every task; of equals the first.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 2, group: 3 });
 * console.log(chooseTrajectories(trajectories, 1).size); // 2
 */
export function chooseTrajectories(
  trajectories: readonly Trajectory[],
  perTask: number,
  { recovery = 1, efficiency = 1, rarity = 1 }: CurationWeights = {},
): Set<string> {
  const chosen = new Set<string>();
  for (const { trajectories: own } of byTask(trajectories)) {
    const graph = buildStateGraph(own);
    const scored = own
      .filter(({ success }) => success === true)
      .map((trajectory) => {
        const parts = measureTrajectoryTopology(graph, trajectory);
        const score = recovery * parts.recovery + efficiency * parts.efficiency + rarity * parts.rarity;
        return { id: trajectory.id, score };
      })
      .sort((one, other) => other.score - one.score);
    for (const { id } of scored.slice(0, perTask)) chosen.add(id);
  }
  return chosen;
}

/** The ids of the `count` tasks whose rollouts differ most in what matters; of equals the first. */
export function chooseTasks(trajectories: readonly Trajectory[], count: number): string[] {
  return byTask(trajectories)
    .map(({ id, trajectories: own }) => {
      const { errorBranches, heterogeneity } = measureTaskTopology(own);
      return { id, score: errorBranches + heterogeneity };
    })
    .sort((one, other) => other.score - one.score)
    .slice(0, count)
    .map(({ id }) => id);
}

// TopoCurate's quotient graph: all rollouts of a task laid over each other, equal states as one node. What one episode alone
// cannot say (was this step a mistake, is there a shorter way) is read from where the others went from the same state.

/** A move that an episode made. */
interface Edge {
  readonly from: string;
  readonly action: string;
  readonly to: string;
  /** Episodes that made it. */
  readonly episodes: number;
}

interface StateGraph {
  readonly edges: readonly Edge[];
  /** Fewest moves from a state to a success that the rollouts together show; Infinity where there is none. */
  readonly distance: (state: string) => number;
}

/** A success is one place, wherever it happened; every other end is a place of its own kind. */
const WON = "won";
const END = "end";

/** A trajectory as a walk over states: where each step led is where the next began. */
interface Move {
  readonly from: string;
  readonly action: string;
  readonly to: string;
  readonly valid: boolean;
}

function movesOf({ steps, success, ending }: Pick<Trajectory, "steps" | "success" | "ending">): Move[] {
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
function edgeKey({ from, action, to }: Pick<Edge, "from" | "action" | "to">): string {
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
function isError(
  { distance }: StateGraph,
  { from, to, valid = true }: Pick<Edge, "from" | "to"> & { readonly valid?: boolean },
): boolean {
  return !valid || distance(to) > distance(from) || (distance(to) === Number.POSITIVE_INFINITY && to !== WON);
}
