/**
 * Crossings: points of a task that several episodes have met with the same past, and the ways taken from there. Branches
 * of one episode meet there by construction, independent episodes when they happened to do the same so far.
 */
import { ancestry, createForest, episodeSteps, type Forest } from "limbeck-base/trajectory/forest";
import { outcomeOf } from "limbeck-base/trajectory/outcome";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";

/** A step that took a way; it is one of the trajectory's own. */
export interface Taker {
  readonly trajectory: Trajectory;
  readonly step: Step;
}

export interface PassedEpisode {
  readonly trajectory: Trajectory;
  readonly value: number;
  readonly success: boolean | null;
}

export interface Way {
  readonly action: string;
  /** Sorted by the trajectory's id. */
  readonly takers: readonly Taker[];
  /**
   * The scored episodes that went this way and then on by themselves: of one in which a later action was imposed,
   * or gave advice, nothing is known about what this way is worth. A branch counts for what it shares.
   */
  readonly outcomes: readonly PassedEpisode[];
  /** Where it led: the points that were met one step later. */
  readonly next: readonly Crossing[];
}

export interface Crossing {
  readonly task: string;
  /** Index of the step that was decided here. */
  readonly step: number;
  /** What was to be read there. */
  readonly seen: string;
  readonly ways: readonly Way[];
}

interface OpenWay {
  readonly takers: Taker[];
  readonly outcomes: PassedEpisode[];
  readonly next: OpenPoint;
}

/** What may be seen at a place, and what was done about it. */
type OpenPoint = Map<string, Map<string, OpenWay>>;

/** Every point at which something was decided, also where only one way was taken; a point before those it led to. */
export function crossingsOf(
  trajectories: readonly Trajectory[],
  forest: Forest = createForest(trajectories),
): Crossing[] {
  const tasks = new Map<string, OpenPoint>();
  for (const trajectory of trajectories) {
    const { id } = trajectory.task;
    const place: OpenPoint = tasks.get(id) ?? new Map();
    tasks.set(id, place);
    enter(place, trajectory, episodeSteps(forest, trajectory.id), lastHelp(forest, trajectory));
  }
  return [...tasks].sort(byText).flatMap(([task, place]) => linked(task, place, 0).flatMap(withNext));
}

/** Index of the last step that was imposed or advised; -1 where there is none. */
function lastHelp(forest: Forest, { id }: Trajectory): number {
  const advised = ancestry(forest, id).flatMap(({ info, parent }) =>
    parent !== undefined && typeof info?.["guidance"] === "string" ? [parent.step] : [],
  );
  const imposed = episodeSteps(forest, id).flatMap(({ index, info }) =>
    info?.["source"] === undefined ? [] : [index],
  );
  return Math.max(-1, ...advised, ...imposed);
}

function enter(root: OpenPoint, trajectory: Trajectory, steps: readonly Step[], help: number): void {
  const { success, reward } = outcomeOf(trajectory);
  const value = scoreValue(reward);
  const own = new Set(trajectory.steps);
  let place = root;
  for (const step of steps) {
    // An answer that never reached the world decided nothing.
    if (step.info?.["unfinished"] === true) return;
    // The prompt, where it is more than the observation: advice in it makes another situation.
    const seen = step.prompt ?? step.observation;
    const ways: Map<string, OpenWay> = place.get(seen) ?? new Map();
    place.set(seen, ways);
    const way: OpenWay = ways.get(step.action) ?? { takers: [], outcomes: [], next: new Map() };
    ways.set(step.action, way);
    if (own.has(step) && !leavesInside(trajectory, step)) way.takers.push({ trajectory, step });
    if (value !== undefined && step.index >= help) way.outcomes.push({ trajectory, value, success });
    place = way.next;
  }
}

/** A branch that left in the middle of an answer: the beginning of it is its parent's. */
function leavesInside({ parent }: Trajectory, { index }: Step): boolean {
  return parent?.token !== undefined && parent.token > 0 && index === parent.step;
}

function linked(task: string, place: OpenPoint, step: number): Crossing[] {
  return [...place].sort(byText).map(([seen, ways]) => ({
    task,
    step,
    seen,
    ways: [...ways].sort(byText).map(([action, { takers, outcomes, next }]) => ({
      action,
      takers: takers.toSorted(byId),
      outcomes: outcomes.toSorted(byId),
      next: linked(task, next, step + 1),
    })),
  }));
}

function withNext(crossing: Crossing): Crossing[] {
  return [crossing, ...crossing.ways.flatMap(({ next }) => next.flatMap(withNext))];
}

function byId(left: { readonly trajectory: Trajectory }, right: { readonly trajectory: Trajectory }): number {
  return left.trajectory.id < right.trajectory.id ? -1 : 1;
}

function byText([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}
