/** What went wrong in an episode: refused, useless and repeated actions, and the way back to where it had been. */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { command } from "./wording.ts";
import type { Move } from "./transitions.ts";

/** An action and the steps at which it was given. */
export interface FaultyAction {
  readonly action: string;
  readonly steps: readonly number[];
}

export interface Faults {
  readonly refused: readonly FaultyAction[];
  readonly useless: readonly FaultyAction[];
  readonly leadsBack: readonly FaultyAction[];
  readonly repeated: readonly FaultyAction[];
  /** Every other action, in order of first use. */
  readonly tried: readonly FaultyAction[];
}

const REPEATED = 3;

/** Each list holds an action once, the most frequent first; an action stands in the first list that it fits. */
export function findFaults(moves: readonly Move[]): Faults {
  const refused = collect(moves.filter(({ wasted }) => wasted === "refused"));
  const useless = collect(moves.filter(({ wasted }) => wasted === "useless"));
  const effective = moves.filter(({ wasted }) => wasted === undefined);
  const loops = collect(effective.filter((_, at) => leadsBack(effective, at)));
  const rest = without(collect(moves), [...refused, ...useless, ...loops]);
  const repeated = rest.filter(({ steps }) => steps.length >= REPEATED);
  return {
    refused: byFrequency(refused),
    useless: byFrequency(without(useless, refused)),
    leadsBack: byFrequency(without(loops, [...refused, ...useless])),
    repeated: byFrequency(repeated),
    tried: rest.filter(({ steps }) => steps.length < REPEATED),
  };
}

/**
 * The first action of a loop without smaller loops in it: what a larger one holds may have been right (taking a thing,
 * only to put it back), the smallest is the detour itself.
 */
export function leadsBack(moves: readonly Move[], at: number): boolean {
  const { from } = moves[at] as Move;
  const passed = new Set<string>();
  for (const move of moves.slice(at + 1)) {
    if (move.from === from) return passed.size > 0;
    if (passed.has(move.from)) return false;
    passed.add(move.from);
  }
  return false;
}

function collect(moves: readonly Move[]): FaultyAction[] {
  const faults = groupedBy(moves, ({ step }) => command(step.action) || undefined);
  return [...faults].map(([action, own]) => ({ action, steps: own.map(({ step }) => step.index) }));
}

function without(faults: readonly FaultyAction[], others: readonly FaultyAction[]): FaultyAction[] {
  const named = new Set(others.map(({ action }) => action));
  return faults.filter(({ action }) => !named.has(action));
}

/** A stable sort: of equally frequent ones the earlier stays first. */
function byFrequency(faults: readonly FaultyAction[]): FaultyAction[] {
  return [...faults].sort((left, right) => right.steps.length - left.steps.length);
}
