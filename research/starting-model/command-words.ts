/** Other words for the commands of the world, so that the model learns what is meant and not one spelling. */
import { pick } from "../../packages/base/src/base/rng.ts";
import type { Rng } from "limbeck";

type Say = (first: string, second: string, verb: string) => string;

interface Shape {
  readonly pattern: RegExp;
  readonly trained: readonly Say[];
  readonly keptBack: readonly Say[];
}

const shapes: readonly Shape[] = [
  {
    pattern: /^()go to (.+)()$/,
    trained: [
      (place) => `walk to ${place}`,
      (place) => `head to ${place}`,
      (place) => `visit ${place}`,
      (place) => `go over to the ${place}`,
    ],
    keptBack: [(place) => `proceed to ${place}`, (place) => `make your way to the ${place}`],
  },
  {
    pattern: /^()take (.+) from (.+)$/,
    trained: [
      (thing, place) => `pick up ${thing} from ${place}`,
      (thing, place) => `get ${thing} from ${place}`,
      (thing, place) => `grab the ${thing} from the ${place}`,
      (thing, place) => `take the ${thing} out of the ${place}`,
    ],
    keptBack: [(thing, place) => `collect ${thing} at ${place}`, (thing, place) => `fetch the ${thing} off ${place}`],
  },
  {
    pattern: /^()move (.+) to (.+)$/,
    trained: [
      (thing, place) => `put ${thing} in ${place}`,
      (thing, place) => `put the ${thing} on the ${place}`,
      (thing, place) => `place ${thing} in ${place}`,
      (thing, place) => `drop ${thing} at ${place}`,
    ],
    keptBack: [(thing, place) => `set ${thing} down on ${place}`, (thing, place) => `leave the ${thing} with ${place}`],
  },
  {
    pattern: /^(clean|heat|cool) (.+) with (.+)$/,
    trained: [
      (thing, place, verb) => `${verb} ${thing} in ${place}`,
      (thing, place, verb) => `use ${place} to ${verb} ${thing}`,
      (thing, place, verb) => `${verb} the ${thing} using the ${place}`,
    ],
    keptBack: [
      (thing, place, verb) => `at ${place}, ${verb} ${thing}`,
      (thing, place, verb) => `let ${place} ${verb} ${thing}`,
    ],
  },
  {
    pattern: /^()use (.+)()$/,
    trained: [(lamp) => `turn on ${lamp}`, (lamp) => `switch on the ${lamp}`, (lamp) => `light ${lamp}`],
    keptBack: [(lamp) => `activate ${lamp}`, (lamp) => `flip the switch of ${lamp}`],
  },
  {
    pattern: /^()open (.+)()$/,
    trained: [(door) => `open up ${door}`, (door) => `open the ${door}`],
    keptBack: [(door) => `unlatch ${door}`],
  },
];

/** The same command in other words; as it is where there are none. */
export function otherWords(command: string, rng: Rng, set: "trained" | "keptBack" = "trained"): string {
  for (const { pattern, ...ways } of shapes) {
    const match = pattern.exec(command);
    if (match === null) continue;
    const [, verb = "", first = "", second = ""] = match;
    return pick(ways[set], rng)?.(first, second, verb) ?? command;
  }
  return command;
}

/** "heat egg 1 with microwave 1" as a sentence without numbers: "Heat the egg with the microwave". */
export function plainSentence(command: string): string {
  return capital(command.replaceAll(/(\w+) \d+/g, "the $1"));
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
