/** Games as files, in the layout and form of the official ones, for the alfworld world and for other programs. */
import { EngineError, unknownName } from "../../base/index.ts";
import type { GameFile } from "../alfworld/game-file.ts";
import { createGenerator, gameFile, type GeneratorOptions, type HouseholdGame } from "./generate.ts";
import { lampKind } from "./household-words.ts";
import { splitIds, type HouseholdSplit } from "./split.ts";

export interface GenerateGamesOptions extends GeneratorOptions {
  readonly seed: number;
  readonly count: number;
  /** Default: "train". */
  readonly split?: string;
}

/**
 * `count` games, lazily, with the paths they are kept under:
 * `<split>/<family>-<Thing>-None-<Target>-<seed>/trial_<index>/game.tw-pddl`. The folder's first part is how success is
 * reported per family.
 */
export function* generateGames(
  options: GenerateGamesOptions,
): Iterable<{ readonly path: string; readonly game: GameFile }> {
  const split = readSplit(options.split ?? "train");
  if (!(Number.isSafeInteger(options.count) && options.count >= 0)) {
    throw new EngineError("bad-option", `The count ${options.count} is not a whole number of at least 0.`);
  }
  const generator = createGenerator(options);
  for (let index = 0; index < options.count; index += 1) {
    const game = generator.game(split, index);
    const folder = `${game.family}-${game.house.errand.thing.id}-None-${targetOf(game)}-${generator.seed}`;
    const trial = `trial_${String(index).padStart(6, "0")}`;
    yield {
      path: `${split}/${folder}/${trial}/game.tw-pddl`,
      game: gameFile(game, gameName(split, generator.seed, index)),
    };
  }
}

/** The name of a game inside its file. */
export function gameName(split: HouseholdSplit, seed: number, index: number): string {
  return `household_${split}_${seed}_${index}`;
}

export function readSplit(name: string): HouseholdSplit {
  const known = splitIds.find((id) => id === name);
  if (known === undefined) throw unknownName(name, splitIds, "split of household");
  return known;
}

function targetOf({ house }: HouseholdGame): string {
  return house.errand.target ?? lampKind().id;
}
