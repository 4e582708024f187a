/**
 * The next command of a demonstrator, from what it remembers.
 *
 * All demonstrators go about an errand alike: find the thing, take it, treat it, bring it. They differ in their style:
 * where they look next, what they recall, what they open, and what they believe a treatment needs.
 */
import { goTo, kindName, type Memory } from "./memory.ts";
import type { Goal } from "./goal.ts";
import { appliances } from "./families.ts";
import { thingKinds } from "./household-words.ts";
import {
  receptacleKinds,
  acceptedBy,
  searchOrder,
  type ReceptacleKind,
  type ThingKind,
  type Treatment,
} from "./things.ts";

export interface Style {
  /** The receptacle to look into next for a thing of this kind; undefined when it gives up. */
  searchNext(kind: string): string | undefined;
  /** Whether what was seen in this receptacle comes to mind now. */
  recalls(receptacle: string): boolean;
  /** The command that treats the thing in the hand, or the way to where that is done; undefined when it seems done. */
  treat(held: string): string | undefined;
  /** What it does with the thing in its hand beside the lamp. */
  shineOn(held: string, lamp: string): string;
}

/** What one does who has nothing left to do. */
export const IDLE = "look";

export function decide(memory: Memory, goal: Goal, style: Style): string {
  const action = goal.underLamp ? bringToLight(memory, goal, style) : bringHome(memory, goal, style);
  return action === undefined || memory.admissible?.includes(action) === false ? IDLE : action;
}

function bringToLight(memory: Memory, goal: Goal, style: Style): string | undefined {
  if (memory.held === undefined) return fetch(memory, goal, style, undefined);
  if (kindName(memory.held) !== goal.thing) return putAside(memory);
  const lamps = known(memory, goal.target, style);
  const spot = lamps.find(({ receptacle }) => memory.atHand.includes(receptacle)) ?? lamps[0];
  if (spot === undefined) return lookInto(memory, style.searchNext(goal.target));
  return goTo(memory, spot.receptacle) ?? style.shineOn(memory.held, spot.thing);
}

function bringHome(memory: Memory, goal: Goal, style: Style): string | undefined {
  const target = chooseTarget(memory, goal);
  if (memory.held === undefined) return fetch(memory, goal, style, target);
  if (kindName(memory.held) !== goal.thing) return putAside(memory);
  const treating = goal.treatment === undefined ? undefined : style.treat(memory.held);
  if (treating !== undefined) return treating;
  if (target === undefined) return undefined;
  return goTo(memory, target) ?? openIfShut(memory, target) ?? `move ${memory.held} to ${target}`;
}

/** Takes a wanted thing that is known, or looks on. What lies in the target already stays there unless it needs treatment. */
function fetch(memory: Memory, goal: Goal, style: Style, target: string | undefined): string | undefined {
  const spots = known(memory, goal.thing, style).filter(
    ({ receptacle, thing }) =>
      receptacle !== target || (goal.treatment !== undefined && !memory.wasTreated(thing, goal.treatment)),
  );
  const spot = spots.find(({ receptacle }) => memory.atHand.includes(receptacle)) ?? spots[0];
  if (spot === undefined) return lookInto(memory, style.searchNext(goal.thing));
  return (
    goTo(memory, spot.receptacle) ?? openIfShut(memory, spot.receptacle) ?? `take ${spot.thing} from ${spot.receptacle}`
  );
}

/** The receptacle of the wanted kind that holds most of the wanted things, then one at hand, then the first listed. */
function chooseTarget(memory: Memory, goal: Goal): string | undefined {
  const score = (name: string): number => {
    const holds = (memory.contents.get(name) ?? []).filter((thing) => kindName(thing) === goal.thing).length;
    const open = memory.contents.has(name) && !memory.shut.has(name);
    return (goal.count === 2 ? holds * 4 : 0) + (memory.atHand.includes(name) ? 2 : 0) + (open ? 1 : 0);
  };
  let best: string | undefined;
  for (const name of memory.receptacles) {
    if (kindName(name) !== goal.target) continue;
    if (best === undefined || score(name) > score(best)) best = name;
  }
  return best;
}

function known(
  memory: Memory,
  kind: string,
  style: Style,
): readonly { readonly receptacle: string; readonly thing: string }[] {
  return [...memory.contents].flatMap(([receptacle, things]) =>
    style.recalls(receptacle)
      ? things.filter((thing) => kindName(thing) === kind).map((thing) => ({ receptacle, thing }))
      : [],
  );
}

function lookInto(memory: Memory, receptacle: string | undefined): string | undefined {
  if (receptacle === undefined) return undefined;
  return goTo(memory, receptacle) ?? openIfShut(memory, receptacle) ?? `examine ${receptacle}`;
}

function openIfShut(memory: Memory, receptacle: string): string | undefined {
  return memory.shut.has(receptacle) ? `open ${receptacle}` : undefined;
}

/** Frees the hand of a thing that is not wanted: here if it can be put here, else where such things are kept. */
function putAside(memory: Memory): string | undefined {
  const { held } = memory;
  if (held === undefined) return undefined;
  const here = memory.admissible?.find((command) => command.startsWith(`move ${held} to `));
  if (here !== undefined) return here;
  const takers = receptaclesFor(held, memory.receptacles);
  const taker = takers.find((name) => !memory.shut.has(name)) ?? takers[0];
  if (taker === undefined) return undefined;
  return goTo(memory, taker) ?? openIfShut(memory, taker) ?? `move ${held} to ${taker}`;
}

// What a demonstrator knows about households in general, asked by the names that appear in observations.

const receptacles: ReadonlyMap<string, ReceptacleKind> = new Map(
  receptacleKinds.map((kind) => [kind.toLowerCase(), kind]),
);

/** All receptacles in the order in which a sensible search for a thing of this kind looks into them. */
export function searchList(thing: string, names: readonly string[]): readonly string[] {
  const pieces = new Map<ReceptacleKind, string[]>();
  const rest: string[] = [];
  for (const name of names) {
    const kind = receptacles.get(kindName(name));
    if (kind === undefined) rest.push(name);
    else pieces.set(kind, [...(pieces.get(kind) ?? []), name]);
  }
  const counts = new Map([...pieces].map(([kind, own]) => [kind, own.length]));
  const kind = thingNamed(thing);
  const likely = kind === undefined ? [] : searchOrder(kind, counts);
  const unlikely = [...pieces.keys()].filter((other) => !likely.includes(other));
  return [...[...likely, ...unlikely].flatMap((own) => [...(pieces.get(own) ?? [])].reverse()), ...rest];
}

/** The receptacles that take this thing. */
function receptaclesFor(thing: string, names: readonly string[]): readonly string[] {
  const kind = thingNamed(kindName(thing));
  if (kind === undefined) return names;
  const takers = acceptedBy(kind);
  return names.filter((name) => {
    const own = receptacles.get(kindName(name));
    return own !== undefined && takers.has(own);
  });
}

/** The next command that gets the thing in the hand treated by the right appliance; undefined when it is or cannot be. */
export function treatProperly(memory: Memory, held: string, treatment: Treatment): string | undefined {
  if (memory.wasTreated(held, treatment)) return undefined;
  const fitting = memory.receptacles.filter((name) => kindName(name) === appliances[treatment].toLowerCase());
  const appliance = fitting.find((name) => memory.atHand.includes(name)) ?? fitting[0];
  if (appliance === undefined) return undefined;
  return goTo(memory, appliance) ?? `${treatment} ${held} with ${appliance}`;
}

function thingNamed(name: string): ThingKind | undefined {
  return thingKinds().find(({ id }) => id.toLowerCase() === name);
}
