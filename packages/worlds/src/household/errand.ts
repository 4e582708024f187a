/** Which errands make sense: the wanted kind of thing, where it goes, and in which rooms that is possible. */
import { EngineError } from "limbeck-base/base/errors";
import { pick, type Rng } from "limbeck-base/base/rng";
import { appliances, familyOf, type FamilyId } from "./families.ts";
import { furnishings, lampKind, thingKinds } from "./household-words.ts";
import { acceptedBy, placesOf, type ReceptacleKind, type Room, type ThingKind } from "./things.ts";

export interface Errand {
  readonly family: FamilyId;
  readonly room: Room;
  readonly thing: ThingKind;
  /** The receptacle kind it goes to; undefined when it is looked at under a lamp. */
  readonly target: ReceptacleKind | undefined;
}

/** The things that can be asked for in a room, each with the receptacle kinds it can be sent to. */
type Offers = readonly (readonly [ThingKind, readonly (ReceptacleKind | undefined)[]])[];

const why: Readonly<Record<"lamp" | "clean" | "heat" | "cool" | "any", string>> = {
  lamp: "it needs a desk lamp, which stands in a bedroom or a livingroom",
  clean: "it needs a sink, which is in a kitchen or a bathroom",
  heat: "it needs a microwave, which is in a kitchen",
  cool: "it needs a fridge, which is in a kitchen",
  any: "nothing there can be taken to another place",
};

/** Everything that may be asked, by room; made once for a generator. */
export function offersOf(family: FamilyId, rooms: readonly Room[]): ReadonlyMap<Room, Offers> {
  const found = rooms.map((room) => [room, offersIn(family, room)] as const).filter(([, offers]) => offers.length > 0);
  if (found.length === 0) {
    const { target, treatment } = familyOf(family);
    const reason = why[target === "lamp" ? "lamp" : (treatment ?? "any")];
    throw new EngineError(
      "impossible-dial",
      `No game of family ${family} is possible in ${rooms.join(", ")}: ${reason}. Allow such a room, or leave the family out.`,
      { details: { family, rooms } },
    );
  }
  return new Map(found);
}

function offersIn(family: FamilyId, room: Room): Offers {
  const { target, treatment } = familyOf(family);
  const stands = furnishings()[room];
  if (treatment !== undefined && stands[appliances[treatment]] === undefined) return [];
  if (target === "lamp" && placesOf(lampKind(), room).size === 0) return [];
  return thingKinds().flatMap((thing): Offers => {
    const places = placesOf(thing, room);
    if (thing.lamp || places.size === 0) return [];
    if (treatment !== undefined && !thing.takes.has(treatment)) return [];
    if (target === "lamp") return [[thing, [undefined]]];
    const targets = [...acceptedBy(thing)].filter(
      (kind) =>
        stands[kind] !== undefined && (treatment !== undefined || [...places.keys()].some((place) => place !== kind)),
    );
    return targets.length === 0 ? [] : [[thing, targets]];
  });
}

export function drawErrand(family: FamilyId, offers: ReadonlyMap<Room, Offers>, rng: Rng): Errand {
  const room = pick([...offers.keys()], rng) as Room;
  const [thing, targets] = pick(offers.get(room) as Offers, rng) as Offers[number];
  return { family, room, thing, target: pick(targets, rng) };
}

/** True when the errand would be done from the start if the thing lay in its target. */
export function mustStartElsewhere(family: FamilyId): boolean {
  return familyOf(family).treatment === undefined;
}

/** Lower-case name of what the errand's sentence sends the thing to. */
export function targetName(errand: Errand): string {
  return (errand.target ?? lampKind().id).toLowerCase();
}
