/** The tables of the household world, from `packages/core/data/worlds`: furnishings, things, the rules and the language. */
import { z } from "zod";
import { words, worldFile, worldTable } from "limbeck-core/env/world-data";
import { receptacleKinds, roomIds, type Furnishings, type Stock, type ThingKind, type Treatment } from "./things.ts";

const receptacle = z.enum(receptacleKinds);
const room = z.enum(roomIds);
const treatments: readonly Treatment[] = ["clean", "heat", "cool"];

/** [weight, most, again]; by default a further piece pulls an eighth as much as the first. */
const stock = z
  .tuple([z.number(), z.int()], z.number())
  .transform(([weight, most, again = weight / 8]): Stock => ({ weight, most, again }));

/** Kinds that are kept alike, each with its marks: what can be done to it and what it is. */
const alike = z.strictObject({
  kinds: z.record(z.string(), words.pipe(z.array(z.enum([...treatments, "slice", "blade", "hollow", "lamp"])))),
  lies: z.partialRecord(room, z.partialRecord(receptacle, z.number())),
  fits: words.pipe(z.array(receptacle)),
});

const tables = worldTable(
  "household.json",
  z.strictObject({
    furnishings: z.record(room, z.partialRecord(receptacle, stock)),
    things: z
      .array(alike)
      .transform((groups) => groups.flatMap(thingsOf))
      .refine((things) => things.some(({ lamp }) => lamp), "no thing is a lamp"),
  }),
);

function thingsOf({ kinds, lies, fits }: z.output<typeof alike>): ThingKind[] {
  return Object.entries(kinds).map(([id, marks]) => ({
    id,
    habit: { lies, fits },
    takes: new Set(treatments.filter((treatment) => marks.includes(treatment))),
    sliceable: marks.includes("slice"),
    blade: marks.includes("blade"),
    hollow: marks.includes("hollow"),
    lamp: marks.includes("lamp"),
  }));
}

export function furnishings(): Furnishings {
  return tables().furnishings;
}

export function thingKinds(): readonly ThingKind[] {
  return tables().things;
}

/** The kind of thing that gives light. */
export function lampKind(): ThingKind {
  return thingKinds().find(({ lamp }) => lamp) as ThingKind;
}

/**
 * The rules of the household world, as PDDL.
 *
 * Written for this project, with the behaviour of the ALFWorld domain: the same commands are possible in the same
 * situations. Where that domain compares types with constants or asks "not openable, or opened", this one states a
 * plain fact instead: `reachable` holds for every surface and for a container while it is open, and `washer`, `heater`,
 * `cooler`, `blade` say what a piece is good for. Walking is possible only to what stands at another place. `look` names
 * the place, so that the overview of a look back at the start is bound to it and empty, as in ALFWorld.
 */
export const householdDomain = worldFile("household.pddl", (text) => text);

/**
 * The words of the household world, in the text grammar of a game file: the same in every game, so that a reader that
 * remembers texts reads them once. Command forms and reply sentences are those of ALFWorld, so that what is learnt in one
 * world can be used in the other; only the help text differs. A rule is a list of variants, the first whose condition
 * holds is printed.
 */
const actions = worldFile("household.twl2", (text) => text);

/** What an opening puts before the errand itself. */
export const TASK_PREFIX = "Your task is to: ";

/** The whole grammar for one errand. */
export function householdGrammar(errand: string): string {
  const task = JSON.stringify({ task: [{ rhs: `${TASK_PREFIX}${errand}` }] });
  return `grammar :: """\n${task}\n""";\n\n${actions()}`;
}
