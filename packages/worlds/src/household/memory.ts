/** What an agent has seen of a house: built from observations and lists of accepted commands, never from the game. */
import type { Seen } from "limbeck-core/env/expert";
import type { Treatment } from "./things.ts";

export interface Memory {
  /** All receptacles by name ("cabinet 3"), as the opening lists them. */
  readonly receptacles: readonly string[];
  /** Names of the things last seen in a receptacle; a receptacle not yet looked into is missing. */
  readonly contents: ReadonlyMap<string, readonly string[]>;
  readonly shut: ReadonlySet<string>;
  /** Receptacles within reach from where the agent stands. */
  readonly atHand: readonly string[];
  readonly held: string | undefined;
  /** True when the thing carries the mark of this treatment, as far as was seen. */
  wasTreated(thing: string, treatment: Treatment): boolean;
  /** The accepted commands now, where the world lists them. */
  readonly admissible: readonly string[] | undefined;
}

export interface MemoryKeeper {
  readonly memory: Memory;
  readonly notice: (seen: Seen) => void;
}

const OVERVIEW = /Looking quickly around you, you see (.+?)\.(?:\n|$)/;
const ARRIVAL = /^You arrive at (.+?)\. /;
const CLOSED = /(?:^|\. )The ([a-z]+ \d+) is closed\./;
const CONTENTS = /(?:On the ([a-z]+ \d+), you see|The ([a-z]+ \d+) is open\. In it, you see) (.+?)\.$/;
const SHUT_AGAIN = /^You close the (.+?)\.$/;
const TAKEN = /^You pick up the (.+?) from the (.+?)\.$/;
const PUT = /^You move the (.+?) to the (.+?)\.$/;
const TREATED = /^You (clean|heat|cool) the (.+?) using the (.+?)\.$/;
const CARRYING = /^You are carrying: (.+?)\.$/;

/**
 * A memory that is still empty; `notice` puts into it what each turn shows.
 *
 * @example
 * const { memory, notice } = createMemory();
 * notice({ action: "go to desk 1", observation: "You arrive at desk 1. On the desk 1, you see a mug 2, and a pen 1." });
 * console.log(memory.contents.get("desk 1")); // [ "mug 2", "pen 1" ]
 */
export function createMemory(): MemoryKeeper {
  const contents = new Map<string, readonly string[]>();
  const shut = new Set<string>();
  const marks = new Map<string, Set<Treatment>>();
  const now: {
    receptacles: readonly string[];
    atHand: readonly string[];
    held?: string | undefined;
    admissible?: readonly string[] | undefined;
  } = { receptacles: [], atHand: [] };
  const notice = (seen: Seen): void => {
    const text = seen.observation;
    now.admissible = seen.admissible;
    const overview = OVERVIEW.exec(text);
    if (overview !== null) now.receptacles = listed(overview[1]);
    now.atHand = reach(seen, now);
    const [, closed] = CLOSED.exec(text) ?? [];
    if (closed !== undefined) shut.add(closed);
    const [, surface, opened, list] = CONTENTS.exec(text) ?? [];
    const inside = surface ?? opened;
    if (inside !== undefined) {
      shut.delete(inside);
      contents.set(inside, listed(list));
    }
    const [, shutAgain] = SHUT_AGAIN.exec(text) ?? [];
    if (shutAgain !== undefined) shut.add(shutAgain);
    noticeHands(text, now, contents);
    const [, verb, treated] = TREATED.exec(text) ?? [];
    if (verb !== undefined && treated !== undefined) mark(marks, treated, verb as Treatment);
  };
  const memory: Memory = {
    get receptacles() {
      return now.receptacles;
    },
    contents,
    shut,
    get atHand() {
      return now.atHand;
    },
    get held() {
      return now.held;
    },
    wasTreated: (thing, treatment) => marks.get(thing)?.has(treatment) === true,
    get admissible() {
      return now.admissible;
    },
  };
  return { memory, notice };
}

function noticeHands(text: string, now: { held?: string | undefined }, contents: Map<string, readonly string[]>): void {
  const [, taken, source] = TAKEN.exec(text) ?? [];
  if (taken !== undefined && source !== undefined) {
    now.held = taken;
    contents.set(
      source,
      (contents.get(source) ?? []).filter((thing) => thing !== taken),
    );
  }
  const [, put, target] = PUT.exec(text) ?? [];
  if (put !== undefined && target !== undefined) {
    now.held = undefined;
    contents.set(target, [...(contents.get(target) ?? []), put]);
  }
  const [, carried] = CARRYING.exec(text) ?? [];
  if (carried !== undefined) now.held = listed(carried)[0];
}

/** Receptacles at hand: those the list offers to examine; without a list, the one walked to. */
function reach(
  seen: Seen,
  now: { readonly receptacles: readonly string[]; readonly atHand: readonly string[] },
): readonly string[] {
  if (seen.admissible !== undefined) {
    const offered = new Set(seen.admissible);
    return now.receptacles.filter((name) => offered.has(`examine ${name}`));
  }
  const [, arrived] = ARRIVAL.exec(seen.observation) ?? [];
  if (arrived !== undefined) return [arrived];
  // Walking is refused only to what is within reach already.
  const asked = seen.action?.startsWith("go to ") === true ? seen.action.slice("go to ".length) : undefined;
  return asked !== undefined && now.receptacles.includes(asked) ? [...now.atHand, asked] : now.atHand;
}

/** Heat takes the cold away and the reverse; clean stays. */
function mark(marks: Map<string, Set<Treatment>>, thing: string, treatment: Treatment): void {
  const own = marks.get(thing) ?? new Set<Treatment>();
  if (treatment === "heat") own.delete("cool");
  if (treatment === "cool") own.delete("heat");
  own.add(treatment);
  marks.set(thing, own);
}

/** "a mug 2, and a bowl 1" as names. */
function listed(text: string | undefined): readonly string[] {
  if (text === undefined || text === "nothing") return [];
  return text.split(", ").map((part) => part.replace(/^and /, "").replace(/^an? /, ""));
}

/**
 * "cabinet 3" is of kind "cabinet".
 *
 * @example
 * console.log(kindName("cabinet 3")); // cabinet
 */
export function kindName(name: string): string {
  return name.slice(0, name.lastIndexOf(" "));
}

// The one command every errand is full of.

/**
 * The way to a receptacle; undefined when it is within reach.
 *
 * @example
 * import { createMemory } from "limbeck-worlds/household/memory";
 *
 * const { memory, notice } = createMemory();
 * notice({ action: "go to desk 1", observation: "You arrive at desk 1. On the desk 1, you see a mug 2." });
 * console.log(goTo(memory, "fridge 1"), goTo(memory, "desk 1")); // go to fridge 1 undefined
 */
export function goTo(memory: Memory, receptacle: string): string | undefined {
  return memory.atHand.includes(receptacle) ? undefined : `go to ${receptacle}`;
}
