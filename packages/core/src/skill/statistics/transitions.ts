/** A group of trajectories as moves between states: what led where, what did nothing, and who won. */
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { passingVerbs, verbOf } from "./passing-verbs.ts";

/** One step as a move. `to` is undefined after the last step of an episode: that state's key is not recorded. */
export interface Move {
  readonly trajectory: Trajectory;
  readonly step: Step;
  readonly from: string;
  readonly to: string | undefined;
  /** The last step of an episode that succeeded. */
  readonly wins: boolean;
  readonly wasted: Waste | undefined;
}

/** Why a move did nothing for the episode. */
export type Waste = "refused" | "useless";

export interface Moves {
  /** By trajectory id, in order. */
  readonly of: ReadonlyMap<string, readonly Move[]>;
  /** No action led from one state to two, so moves of different episodes may be joined. */
  readonly consistent: boolean;
  /** Verbs that the next action of the same verb undoes. */
  readonly passing: ReadonlySet<string>;
}

export function hasSucceeded(trajectory: Trajectory): boolean {
  if (trajectory.success !== null) return trajectory.success;
  return trajectory.reward.kind === "scored" && trajectory.reward.value >= 1;
}

/**
 * Keys of a world may name its states, or be no more than the text the agent saw. Two equal texts need not be the same
 * state (an empty shelf looks the same with the cup in hand), so texts are distinguished by what had been done before.
 */
export function readMoves(group: readonly Trajectory[]): Moves {
  const passing = passingVerbs(group);
  const given = collect(group, passing, (trajectory) => trajectory.steps.map(({ stateKey }) => stateKey));
  if (keysNameStates(group) && given.consistent) return given;
  return collect(group, passing, (trajectory) => statesFromTexts(trajectory, passing));
}

/** One key was seen with different observations, so keys are not just texts. */
function keysNameStates(group: readonly Trajectory[]): boolean {
  const texts = new Map<string, string>();
  return group.some(({ steps }) =>
    steps.some(({ stateKey, observation }) => {
      const text = texts.get(stateKey) ?? observation;
      texts.set(stateKey, text);
      return text !== observation;
    }),
  );
}

/**
 * A state is the last text, where the last walk went, and how often each lasting thing was done. A refusal changes
 * nothing, nor does the same action again with the same answer.
 */
function statesFromTexts({ steps }: Trajectory, passing: ReadonlySet<string>): string[] {
  const done = new Map<string, number>();
  const went = new Map<string, string>();
  let text = steps[0]?.stateKey ?? "";
  return steps.map((step, at) => {
    const last = steps[at - 1];
    const again = steps[at - 2]?.action === last?.action && last?.stateKey === step.stateKey;
    if (last !== undefined && last.valid && !again) {
      text = step.stateKey;
      const verb = verbOf(last.action);
      if (passing.has(verb)) went.set(verb, last.action);
      else done.set(last.action, (done.get(last.action) ?? 0) + 1);
    }
    return JSON.stringify([text, sorted(went), sorted(done)]);
  });
}

function sorted<T>(entries: ReadonlyMap<string, T>): (readonly [string, T])[] {
  return [...entries].sort(([left], [right]) => (left < right ? -1 : 1));
}

function collect(
  group: readonly Trajectory[],
  passing: ReadonlySet<string>,
  keysOf: (trajectory: Trajectory) => readonly string[],
): Moves {
  const of = new Map(group.map((trajectory) => [trajectory.id, movesOf(trajectory, keysOf(trajectory))]));
  const leads = new Map<string, string>();
  let consistent = true;
  for (const { from, to, step } of [...of.values()].flat()) {
    if (to === undefined) continue;
    const move = JSON.stringify([from, step.action]);
    consistent &&= (leads.get(move) ?? to) === to;
    leads.set(move, to);
  }
  return { of, consistent, passing };
}

function movesOf(trajectory: Trajectory, keys: readonly string[]): Move[] {
  const won = hasSucceeded(trajectory);
  return trajectory.steps.map((step, at) => {
    const from = keys[at] as string;
    const to = keys[at + 1];
    const wins = won && to === undefined;
    const unmoved = to === undefined ? trajectory.closing?.observation === step.observation : to === from;
    // A reply with a fault of form may have been carried out all the same; then it is not wasted.
    const refused = !step.valid && (to === undefined || unmoved);
    const wasted = wins ? undefined : refused ? "refused" : unmoved ? "useless" : undefined;
    return { trajectory, step, from, to, wins, wasted };
  });
}
