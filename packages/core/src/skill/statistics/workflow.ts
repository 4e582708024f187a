/**
 * The way to success without its detours: the shortest path through all moves of the group that were
 * carried out. Where the same action led from one state to two, episodes are not joined; then it is the shortest of the
 * successful ones, each cleaned by itself.
 */
import { groupedBy } from "limbeck-base/base/grouped-by";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Evidence } from "../skill.ts";
import { verbOf } from "./passing-verbs.ts";
import { readMoves, type Move, type Moves } from "./transitions.ts";

export interface Workflow {
  readonly moves: readonly Move[];
}

export function workflowEvidence({ moves }: Workflow): Evidence[] {
  const byEpisode = groupedBy(moves, ({ trajectory }) => trajectory.id);
  return [...byEpisode].map(([trajectory, own]) => ({ trajectory, steps: own.map(({ step }) => step.index) }));
}

/** The shortest clean way to success that the group shows; undefined when none succeeded. */
export function findWorkflow(group: readonly Trajectory[], moves: Moves = readMoves(group)): Workflow | undefined {
  const ways = group.flatMap((trajectory) => cleanWay(trajectory, moves) ?? []);
  // Branches begin in the middle: they count only where no episode from the start succeeded.
  const whole = ways.filter(({ moves: [first] }) => first?.step.index === 0);
  const known = shortest(whole.length > 0 ? whole : ways);
  if (known === undefined || !moves.consistent) return known;
  const [first] = known.moves;
  return first === undefined ? known : shortest([known, joinedWay(moves, first.from) ?? known]);
}

/** One successful episode without refused and useless actions and without loops. */
function cleanWay(trajectory: Trajectory, moves: Moves): Workflow | undefined {
  const own = moves.of.get(trajectory.id) ?? [];
  if (own.at(-1)?.wins !== true) return undefined;
  return { moves: skipPassing(cutLoops(own.filter(({ wasted }) => wasted === undefined)), moves) };
}

function shortest(ways: readonly Workflow[]): Workflow | undefined {
  let best: Workflow | undefined;
  for (const way of ways) if (best === undefined || way.moves.length < best.moves.length) best = way;
  return best;
}

/** Breadth first over every move of the group, from a state to any win. */
function joinedWay(moves: Moves, start: string): Workflow | undefined {
  const useful = [...moves.of.values()]
    .flat()
    .filter(({ wasted, to, wins }) => wasted === undefined && (to !== undefined || wins));
  const leaving = groupedBy(useful, ({ from }) => from);
  const reached = new Map<string, Move | undefined>([[start, undefined]]);
  const queue = [start];
  for (const state of queue) {
    for (const move of leaving.get(state) ?? []) {
      if (move.wins) return { moves: skipPassing(trace(reached, move), moves) };
      if (move.to === undefined || reached.has(move.to)) continue;
      reached.set(move.to, move);
      queue.push(move.to);
    }
  }
  return undefined;
}

function trace(reached: ReadonlyMap<string, Move | undefined>, last: Move): Move[] {
  const way = [last];
  for (let move = reached.get(last.from); move !== undefined; move = reached.get(move.from)) way.push(move);
  return way.reverse();
}

/** Goes on from the last visit of each state. */
function cutLoops(way: readonly Move[]): Move[] {
  const kept: Move[] = [];
  for (let at = 0; at < way.length; at += 1) {
    at = way.findLastIndex(({ from }) => from === (way[at] as Move).from);
    kept.push(way[at] as Move);
  }
  return kept;
}

/** Of several moves in a row that undo each other only the last one counts: a search becomes the way to what it found. */
function skipPassing(way: readonly Move[], { passing }: Moves): Move[] {
  return way.filter(({ step }, at) => {
    const next = way[at + 1];
    const verb = verbOf(step.action);
    return next === undefined || !passing.has(verb) || verbOf(next.step.action) !== verb;
  });
}
