/** The six kinds of errand: what is asked, in which words, and what must hold in the end. */
import type { ReceptacleKind, Treatment } from "./things.ts";

export interface Family {
  /** How many things of the wanted kind the errand needs. */
  readonly count: 1 | 2;
  /** Where the wanted thing goes; under a lamp it stays in the hand. */
  readonly target: "receptacle" | "lamp";
  readonly treatment?: Treatment;
  /** The two ways of asking, in lower-case names. */
  readonly sentences: readonly [(thing: string, target: string) => string, (thing: string, target: string) => string];
}

/** Which receptacle carries out a treatment. */
export const appliances: Readonly<Record<Treatment, ReceptacleKind>> = {
  clean: "SinkBasin",
  cool: "Fridge",
  heat: "Microwave",
};

const treated = (treatment: Treatment, adjective: string): Family => ({
  count: 1,
  target: "receptacle",
  treatment,
  sentences: [
    (thing, target) => `put a ${adjective} ${thing} in ${target}.`,
    (thing, target) => `${treatment} some ${thing} and put it in ${target}.`,
  ],
});

export const families = {
  pick_and_place_simple: {
    count: 1,
    target: "receptacle",
    sentences: [
      (thing, target) => `put a ${thing} in ${target}.`,
      (thing, target) => `put some ${thing} on ${target}.`,
    ],
  },
  look_at_obj_in_light: {
    count: 1,
    target: "lamp",
    sentences: [
      (thing, target) => `look at ${thing} under the ${target}.`,
      (thing, target) => `examine the ${thing} with the ${target}.`,
    ],
  },
  pick_clean_then_place_in_recep: treated("clean", "clean"),
  pick_heat_then_place_in_recep: treated("heat", "hot"),
  pick_cool_then_place_in_recep: treated("cool", "cool"),
  pick_two_obj_and_place: {
    count: 2,
    target: "receptacle",
    sentences: [
      (thing, target) => `put two ${thing} in ${target}.`,
      (thing, target) => `find two ${thing} and put them in ${target}.`,
    ],
  },
} as const satisfies Readonly<Record<string, Family>>;

export type FamilyId = keyof typeof families;

export const familyIds = Object.keys(families) as readonly FamilyId[];

/** The family as the general type, for code that treats all six alike. */
export function familyOf(id: FamilyId): Family {
  return families[id];
}
