/**
 * Makes games: the same settings, split, seed and index give the same game on every machine.
 *
 * Families take turns, so that any run of consecutive indices is balanced over them.
 */
import { createRng, EngineError, unknownName, type Rng } from "../../base/index.ts";
import type { Json } from "../../trajectory/index.ts";
import type { GameFile } from "../alfworld/game-file.ts";
import { DEFAULT_DIAL, readDial, type Dial, type DialInput } from "./dial.ts";
import { drawErrand, offersOf, targetName, type Errand } from "./errand.ts";
import { familyIds, familyOf, type FamilyId } from "./families.ts";
import { drawHouse, type House } from "./house.ts";
import { householdDomain, householdGrammar } from "./household-words.ts";
import { drawCounts } from "./layout.ts";
import { householdProblem } from "./problem.ts";
import { situationOf, splitOf, type HouseholdSplit } from "./split.ts";
import { walkthrough } from "./walkthrough.ts";

export interface HouseholdGame {
  readonly family: FamilyId;
  /** The errand's sentence, as the opening prints it after "Your task is to: ". */
  readonly goal: string;
  readonly house: House;
  readonly situation: string;
  readonly walkthrough: readonly string[];
}

export interface GeneratorOptions {
  readonly dial?: DialInput;
  readonly families?: readonly string[];
  /** Overrides the dial's horizon; things are then placed so that a search still ends in time. */
  readonly horizon?: number;
  /** Another seed, another endless row of games. */
  readonly seed?: number;
}

export interface Generator {
  readonly dial: Dial;
  readonly families: readonly FamilyId[];
  readonly seed: number;
  /** The family is the one whose turn it is, unless named. */
  game(split: HouseholdSplit, index: number, family?: FamilyId): HouseholdGame;
}

/** Draws thrown away before a dial is called impossible; a split holds a tenth of all situations at least. */
const MOST_TRIES = 2_000;

export function createGenerator(options: GeneratorOptions = {}): Generator {
  const named = readDial(options.dial ?? DEFAULT_DIAL);
  const dial = options.horizon === undefined ? named : { ...named, ...withHorizon(named, options.horizon) };
  const families = readFamilies(options.families);
  const seed = options.seed ?? 0;
  if (!Number.isSafeInteger(seed)) throw new EngineError("bad-option", `The seed ${seed} is not a whole number.`);
  const offers = new Map(families.map((family) => [family, offersOf(family, dial.rooms)]));
  const row = createRng(`household/${dial.name}/${dial.horizon}/${seed}`);
  return {
    dial,
    families,
    seed,
    game: (split, index, named) => {
      const turn = families[index % families.length] as FamilyId;
      const family = named ?? turn;
      const rng = row.split(`${split}/${index}/${family}`);
      const offered = offers.get(family) ?? offersOf(family, dial.rooms);
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const errand = drawErrand(family, offered, rng);
        const game = tryGame(errand, split, dial, rng);
        if (game !== undefined) return game;
      }
      throw impossible(family, split, dial);
    },
  };
}

function tryGame(errand: Errand, split: HouseholdSplit, dial: Dial, rng: Rng): HouseholdGame | undefined {
  const counts = drawCounts(errand, dial, rng);
  if (counts === undefined) return undefined;
  const situation = situationOf(errand, counts);
  if (splitOf(situation) !== split) return undefined;
  const house = drawHouse(errand, counts, dial, rng);
  if (house === undefined) return undefined;
  const sentence = familyOf(errand.family).sentences[rng.int(2) === 0 ? 0 : 1];
  const goal = sentence(errand.thing.id.toLowerCase(), targetName(errand));
  return { family: errand.family, goal, house, situation, walkthrough: walkthrough(house) };
}

/** The game as a file in the form of the official ones; `name` stands inside it. */
export function gameFile(game: HouseholdGame, name: string): GameFile {
  return {
    pddl_domain: householdDomain(),
    grammar: householdGrammar(game.goal),
    pddl_problem: householdProblem(game.house, name),
    solvable: true,
    walkthrough: [...game.walkthrough],
  };
}

export function readFamilies(input: Json | undefined): readonly FamilyId[] {
  if (input === undefined) return familyIds;
  const list = (typeof input === "string" ? input.split(",") : input) as readonly Json[];
  if (!Array.isArray(list) || list.length === 0) {
    throw new EngineError(
      "bad-option",
      `The household families are ${JSON.stringify(input)}; give a list of some of: ${familyIds.join(", ")}.`,
    );
  }
  return list.map((name) => {
    const known = familyIds.find((id) => id === name);
    if (known === undefined)
      throw unknownName(typeof name === "string" ? name : JSON.stringify(name), familyIds, "household family");
    return known;
  });
}

function withHorizon(dial: Dial, horizon: number): Pick<Dial, "horizon" | "name"> {
  return { horizon: readDial({ horizon }).horizon, name: dial.name };
}

function impossible(family: FamilyId, split: HouseholdSplit, dial: Dial): EngineError {
  const most = Math.max(...dial.rooms.map((room) => dial.receptacles[room][2]));
  return new EngineError(
    "impossible-dial",
    `No game of family ${family} for split ${split} came of ${MOST_TRIES} draws with the dial "${dial.name}" (at most ${most} receptacles, ${dial.horizon} steps). Raise horizon or receptacles, or leave the family out.`,
    { details: { family, split, dial: dial.name, horizon: dial.horizon } },
  );
}
