/** Household: a generator of household errands in ALFWorld's language and file form, with demonstrators. */
import { option } from "limbeck-base/base/option";
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import {
  defineWorld,
  nonNull,
  readWorldOptions,
  type GeneratedFile,
  type GenerateOptions,
} from "limbeck-core/env/world";
import { DEFAULT_DIAL } from "./dial.ts";
import { expert, guesser, createWanderer } from "./demonstrators.ts";
import { familyIds } from "./families.ts";
import { generateGames, type GeneratorOptions } from "./generate.ts";
import { createHousehold, SUMMARY, type HouseholdOptions } from "./household.ts";

const options = {
  dial: {
    kind: "json",
    default: DEFAULT_DIAL,
    meaning:
      "tiny, small, medium or official; or changes to one: {from (default: small), rooms, receptacles, distractors, copies, shut, sharedPlaces, horizon}",
  },
  families: option.list(familyIds, { kind: "choice", choices: familyIds }, "some of the six families", 1),
  hiddenCommands: option.list([], { kind: "text" }, "commands left out of the list"),
  horizon: option.limit(null, "steps after which an episode is cut; none: the dial's own", {
    least: 1,
    most: 100_000,
    whole: true,
  }),
  seed: option.number(0, "another row of games", { whole: true }),
  winReward: option.number(10, "reward of the step that wins"),
} as const satisfies DeepTable;

function householdOptions({ dial, ...rest }: OptionValues<typeof options>): HouseholdOptions {
  return { dial: dial as NonNullable<GeneratorOptions["dial"]>, ...nonNull(rest) };
}

function* generate({ seed, count, split, options: told = {} }: GenerateOptions): Iterable<GeneratedFile> {
  const games = generateGames({
    ...householdOptions(readWorldOptions(options, told, "household")),
    seed,
    count,
    ...(split === undefined ? {} : { split }),
  });
  for (const { path, game } of games) yield { path, text: `${JSON.stringify(game)}\n` };
}

export const household = defineWorld({
  id: "household",
  info: { title: "Household", meaning: SUMMARY },
  options,
  create: (values) => createHousehold(householdOptions(values)),
  demonstrators: { expert, wanderer: createWanderer(), guesser },
  generate,
});
