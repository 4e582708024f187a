/** What a demonstrator knows about households in general, asked by the names that appear in observations. */
import { appliances } from "./families.ts";
import { goTo } from "./go-to.ts";
import { thingKinds } from "./household-words.ts";
import { kindName, type Memory } from "./memory.ts";
import { receptacleKinds, type ReceptacleKind } from "./rooms.ts";
import { searchOrder } from "./search-order.ts";
import { acceptedBy, type ThingKind, type Treatment } from "./things.ts";

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
export function receptaclesFor(thing: string, names: readonly string[]): readonly string[] {
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
