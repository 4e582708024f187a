/** Household: a generator of household errands in ALFWorld's language and file form, with demonstrators. */
import { lookUp } from "../../base/index.ts";
import type { Json } from "../../trajectory/index.ts";
import type { GenerateOptions, GeneratedFile, World, WorldOptions } from "../world.ts";
import { readNumber, readTexts } from "./dial-input.ts";
import { expert } from "./expert.ts";
import { generateGames } from "./files.ts";
import { readFamilies, type GeneratorOptions } from "./generate.ts";
import { guesser } from "./guesser.ts";
import { createHousehold, SUMMARY, type HouseholdOptions } from "./household.ts";
import { createWanderer } from "./wanderer.ts";

const anyNumber = { least: -Number.MAX_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER };

const readers: Readonly<Record<string, (value: Json) => Partial<HouseholdOptions>>> = {
  dial: (dial) => ({ dial: dial as NonNullable<GeneratorOptions["dial"]> }),
  families: (value) => ({ families: readFamilies(value) }),
  hiddenCommands: (value) => ({ hiddenCommands: readTexts("hiddenCommands", value) }),
  horizon: (value) => ({ horizon: readNumber("horizon", value, { least: 1, most: 100_000, whole: true }) }),
  seed: (value) => ({ seed: readNumber("seed", value, { ...anyNumber, whole: true }) }),
  winReward: (value) => ({ winReward: readNumber("winReward", value, anyNumber) }),
};

function readOptions(options: WorldOptions): HouseholdOptions {
  const read = Object.entries(options).map(([name, value]) => lookUp(readers, name, "household option")(value));
  return Object.assign({}, ...read) as HouseholdOptions;
}

function* generate({ seed, count, split, options = {} }: GenerateOptions): Iterable<GeneratedFile> {
  const games = generateGames({ ...readOptions(options), seed, count, ...(split === undefined ? {} : { split }) });
  for (const { path, game } of games) yield { path, text: `${JSON.stringify(game)}\n` };
}

export const household: World = {
  summary: SUMMARY,
  options: {
    dial: "tiny, small (default), medium or official; or changes to one: {from, rooms, receptacles, distractors, copies, shut, sharedPlaces, horizon}",
    families: "some of the six families; all unless told",
    hiddenCommands: "commands left out of the list",
    horizon: "steps after which an episode is cut; the dial's own unless told",
    seed: "another row of games; 0 unless told",
    winReward: "reward of the step that wins; 10 unless told",
  },
  create: async (options = {}) => createHousehold(readOptions(options)),
  demonstrators: { expert, wanderer: createWanderer(), guesser },
  generate,
};

export { dials, readDial, type Dial, type DialInput, type DialName } from "./dial.ts";
export { expert } from "./expert.ts";
export { families, familyIds, type FamilyId } from "./families.ts";
export { generateGames, type GenerateGamesOptions } from "./files.ts";
export { createGenerator, gameFile, type Generator, type GeneratorOptions, type HouseholdGame } from "./generate.ts";
export { guesser } from "./guesser.ts";
export { createHousehold, type HouseholdOptions } from "./household.ts";
export { createWanderer, type WandererOptions } from "./wanderer.ts";
export { withNoise } from "./with-noise.ts";
