/**
 * A demonstrator that carries out a list of commands. It leaves out what is done already, goes where the next command
 * must be given, and finds its way back after a detour. What the list does not say it leaves to another.
 */
import type { Seen } from "limbeck/env";
import { createMemory, goTo, type Memory } from "../../packages/worlds/src/household/memory.ts";
import type { Treatment } from "../../packages/worlds/src/household/things.ts";

export interface Follower {
  /** `otherwise` is what the other demonstrator would do now. */
  next(seen: Seen, otherwise: string): string;
}

const TAKE = /^take (.+) from (.+)$/;
const MOVE = /^move (.+) to (.+)$/;
const TREAT = /^(clean|heat|cool) (.+) with (.+)$/;
const GO = /^go to (.+)$/;
const OPEN = /^open (.+)$/;
const USE = /^use (.+)$/;

export function startFollower(plan: readonly string[]): Follower {
  const { memory, notice } = createMemory();
  const moved = new Set<string>();
  let at = 0;
  let refusals = 0;
  return {
    next: (seen, otherwise) => {
      notice(seen);
      if (seen.action !== undefined && seen.action === plan[at]) {
        const refused = seen.observation.startsWith("Nothing happens");
        refusals = refused ? refusals + 1 : 0;
        // What is refused twice is given up; the rest of the list may still be good.
        if (!refused || refusals > 1) at += 1;
      }
      if (seen.observation.startsWith("You move the ")) moved.add(seen.action ?? "");
      at = Math.max(at, plan.findLastIndex((command) => achieved(memory, command, moved)) + 1);
      while (at < plan.length && isMet(memory, plan[at] as string)) at += 1;
      const command = plan[at];
      return command === undefined ? otherwise : (wayTo(memory, command) ?? otherwise);
    },
  };
}

/** Lasting effects: whoever sees one of these knows that what led to it need not be done again. */
function achieved(memory: Memory, command: string, done: ReadonlySet<string>): boolean {
  const [, taken] = TAKE.exec(command) ?? [];
  if (taken !== undefined) return memory.held === taken;
  const [, moved, place] = MOVE.exec(command) ?? [];
  if (moved !== undefined && place !== undefined) {
    // A thing may have lain there from the start, before it was treated.
    return done.has(command) && memory.contents.get(place)?.includes(moved) === true;
  }
  const [, verb, treated] = TREAT.exec(command) ?? [];
  return verb !== undefined && treated === memory.held && memory.wasTreated(treated ?? "", verb as Treatment);
}

/** Commands that would change nothing now. */
function isMet(memory: Memory, command: string): boolean {
  const [, place] = GO.exec(command) ?? [];
  if (place !== undefined) return memory.atHand.includes(place);
  const [, door] = OPEN.exec(command) ?? [];
  return door !== undefined && memory.contents.has(door) && !memory.shut.has(door);
}

/** The command itself where it can be given, else the next step towards that; undefined when no way is known. */
function wayTo(memory: Memory, command: string): string | undefined {
  const [, taken, source] = TAKE.exec(command) ?? [];
  if (taken !== undefined && source !== undefined) {
    if (memory.held !== undefined) return putDown(memory);
    return goTo(memory, source) ?? openIfShut(memory, source) ?? command;
  }
  const [, moved, target] = MOVE.exec(command) ?? [];
  if (moved !== undefined && target !== undefined) {
    return inHand(memory, moved, () => goTo(memory, target) ?? openIfShut(memory, target) ?? command);
  }
  const [, , treated, appliance] = TREAT.exec(command) ?? [];
  if (treated !== undefined && appliance !== undefined) {
    return inHand(memory, treated, () => goTo(memory, appliance) ?? command);
  }
  const [, door] = OPEN.exec(command) ?? [];
  if (door !== undefined) return goTo(memory, door) ?? command;
  const [, lamp] = USE.exec(command) ?? [];
  const place = lamp === undefined ? undefined : placeOf(memory, lamp);
  if (place !== undefined) return goTo(memory, place) ?? openIfShut(memory, place) ?? command;
  return command;
}

function inHand(memory: Memory, thing: string, then: () => string): string | undefined {
  if (memory.held === thing) return then();
  if (memory.held !== undefined) return putDown(memory);
  const place = placeOf(memory, thing);
  if (place === undefined) return undefined;
  return goTo(memory, place) ?? openIfShut(memory, place) ?? `take ${thing} from ${place}`;
}

function putDown(memory: Memory): string | undefined {
  return memory.admissible?.find((command) => command.startsWith(`move ${memory.held} to `));
}

function placeOf(memory: Memory, thing: string): string | undefined {
  return [...memory.contents].find(([, things]) => things.includes(thing))?.[0];
}

function openIfShut(memory: Memory, place: string): string | undefined {
  return memory.shut.has(place) ? `open ${place}` : undefined;
}
