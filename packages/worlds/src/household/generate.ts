/**
 * Makes games: the same settings, split, seed and index give the same game on every machine.
 *
 * Families take turns, so that any run of consecutive indices is balanced over them.
 */
import { createRng, type Rng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { unknownName } from "limbeck-base/base/registry";
import type { Json } from "limbeck-base/base/json";
import type { GameFile } from "../alfworld/game-file.ts";
import { DEFAULT_DIAL, readDial, fnv1a, type Dial, type DialInput } from "./dial.ts";
import { drawErrand, offersOf, targetName, mustStartElsewhere, type Errand } from "./errand.ts";
import { familyIds, familyOf, appliances, type FamilyId } from "./families.ts";
import { drawCounts, drawHouse, type Fixture, type House, type Item } from "./house.ts";
import { householdDomain, householdGrammar, lampKind } from "./household-words.ts";
import { shuttingKinds, acceptedBy, type KindCounts, type ReceptacleKind } from "./things.ts";

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

function readFamilies(input: Json | undefined): readonly FamilyId[] {
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

/*
 * Train, valid and test are disjoint by construction.
 *
 * A situation is the errand (family, thing, target) together with the room and how many receptacles of each kind stand
 * in it. A hash of the situation says which split it belongs to, whatever seed it came from; a generator that works for
 * one split throws away the situations of the others. So no errand of a test game was ever asked in a training room
 * with the same furniture, for all seeds and all dials.
 */

export const splitIds = ["train", "valid", "test"] as const;

type HouseholdSplit = (typeof splitIds)[number];

/** The situation as text, the same for every order of the receptacles. */
function situationOf(errand: Errand, counts: KindCounts): string {
  const furniture = [...counts].map(([kind, count]) => `${kind}:${count}`).sort();
  return [errand.family, errand.thing.id, errand.target ?? "", errand.room, ...furniture].join("|");
}

/** Eight situations in ten are for training, one for validation, one for the test. */
export function splitOf(situation: string): HouseholdSplit {
  const bucket = fnv1a(situation) % 10;
  if (bucket === 8) return "valid";
  return bucket === 9 ? "test" : "train";
}

// Games as files, in the layout and form of the official ones, for the alfworld world and for other programs.

interface GenerateGamesOptions extends GeneratorOptions {
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

/*
 * Writes a house as a PDDL problem.
 *
 * An interpreter shows an id as the text before its first `_bar_` and numbers equal names against the order of their
 * ids, so the ids count down while the shown numbers count up. A basin's id carries its full name at the end, because
 * the shown name is put together from both.
 */

const BASIN = "Basin";

function householdProblem(house: House, name: string): string {
  const fixtureIds = idsOf(house.fixtures, ({ kind }) => kind, fixtureId);
  const itemIds = idsOf(house.items, ({ kind }) => kind.id, numberedId);
  const places = Math.max(...house.fixtures.map(({ place }) => place)) + 1;
  const varieties = [...new Set(house.fixtures.map(({ kind }) => kind))];
  const sorts = [...new Set(house.items.map(({ kind }) => kind))];
  const objects = [
    "agent1 - agent",
    ...Array.from({ length: places }, (_, place) => `${placeId(place)} - place`),
    ...[...fixtureIds.values()].map((id) => `${id} - receptacle`),
    ...[...itemIds.values()].map((id) => `${id} - object`),
    ...varieties.map((kind) => `${kind}Type - rkind`),
    ...sorts.map(({ id }) => `${id}Type - okind`),
  ];
  const facts = [
    `(at agent1 ${placeId(0)})`,
    ...house.fixtures.flatMap((fixture) => fixtureFacts(fixture, fixtureIds.get(fixture) as string)),
    ...house.items.flatMap((item) =>
      itemFacts(item, itemIds.get(item) as string, fixtureIds.get(item.fixture) as string),
    ),
    ...sorts.flatMap((sort) => {
      const accepting = acceptedBy(sort);
      return varieties.filter((kind) => accepting.has(kind)).map((kind) => `(accepts ${kind}Type ${sort.id}Type)`);
    }),
  ];
  return [
    `(define (problem ${name})`,
    "(:domain household)",
    "(:objects",
    ...objects,
    ")",
    "(:init",
    ...facts,
    ")",
    `(:goal ${goalText(house.errand)})`,
    ")",
    "",
  ].join("\n");
}

function fixtureFacts({ kind, place, shut }: Fixture, id: string): readonly string[] {
  const facts = [`(stands ${id} ${placeId(place)})`, `(variety ${id} ${kind}Type)`];
  if (shuttingKinds.has(kind)) facts.push(`(shuts ${id})`);
  if (!shut) facts.push(`(reachable ${id})`);
  if (kind === appliances.clean) facts.push(`(washer ${id})`);
  if (kind === appliances.heat) facts.push(`(heater ${id})`);
  if (kind === appliances.cool) facts.push(`(cooler ${id})`);
  return facts;
}

function itemFacts({ kind, fixture }: Item, id: string, holder: string): readonly string[] {
  const facts = [`(sort ${id} ${kind.id}Type)`, `(inside ${id} ${holder})`, `(lies ${id} ${placeId(fixture.place)})`];
  facts.push(kind.lamp ? `(switchable ${id})` : `(portable ${id})`);
  if (kind.takes.has("clean")) facts.push(`(washable ${id})`);
  if (kind.takes.has("heat")) facts.push(`(heatable ${id})`);
  if (kind.takes.has("cool")) facts.push(`(coolable ${id})`);
  if (kind.sliceable) facts.push(`(sliceable ${id})`);
  if (kind.blade) facts.push(`(blade ${id})`);
  if (kind.hollow) facts.push(`(hollow ${id})`);
  return facts;
}

const stateFacts = { clean: "clean", cool: "cool", heat: "hot" } as const;

/** What must hold in the end: some thing, some receptacle; always existential. */
function goalText({ family, thing, target }: Errand): string {
  const { count, treatment } = familyOf(family);
  const sort = `${thing.id}Type`;
  if (target === undefined) {
    const lamp = "(exists (?a - agent ?p - place ?r - receptacle ?o - object) (and (at ?a ?p) (stands ?r ?p)";
    const held = `(exists (?a - agent ?o - object) (and (carries ?a ?o) (sort ?o ${sort})))`;
    return `(and ${lamp} (inside ?o ?r) (sort ?o ${lampKind().id}Type) (switchable ?o) (lit ?o))) ${held})`;
  }
  const state = treatment === undefined ? "" : ` (${stateFacts[treatment]} ?o)`;
  const first = `(variety ?r ${target}Type) (inside ?o ?r) (sort ?o ${sort})${state}`;
  const second =
    count === 1 ? "" : ` (exists (?o2 - object) (and (not (= ?o ?o2)) (inside ?o2 ?r) (sort ?o2 ${sort})))`;
  return `(exists (?r - receptacle) (exists (?o - object) (and ${first}${second})))`;
}

/** An id for every piece; the shown number of a name's first id is the highest. */
function idsOf<T extends { readonly number: number }>(
  pieces: readonly T[],
  nameOf: (piece: T) => string,
  idOf: (name: string, position: number) => string,
): ReadonlyMap<T, string> {
  const totals = new Map<string, number>();
  for (const piece of pieces) totals.set(nameOf(piece), (totals.get(nameOf(piece)) ?? 0) + 1);
  return new Map(
    pieces.map((piece) => [piece, idOf(nameOf(piece), (totals.get(nameOf(piece)) as number) - piece.number + 1)]),
  );
}

/** Three digits, so that ids of up to 999 equal names sort as numbers. */
function numberedId(name: string, position: number): string {
  return `${name}_bar_${String(position).padStart(3, "0")}`;
}

function fixtureId(kind: string, position: number): string {
  if (!kind.endsWith(BASIN)) return numberedId(kind, position);
  return `${numberedId(kind.slice(0, -BASIN.length), position)}_bar_${kind}`;
}

function placeId(place: number): string {
  return `place_${String(place).padStart(3, "0")}`;
}

// The shortest straight way to do an errand, written by one who knows the whole house.

function walkthrough(house: House): readonly string[] {
  const { errand } = house;
  const { count, treatment } = familyOf(errand.family);
  const walk = walker();
  const wanted = house.items.filter(({ kind }) => kind === errand.thing);
  if (errand.target === undefined) {
    const lamp = house.items.find(({ kind }) => kind === lampKind()) as Item;
    walk.take(wanted[0] as Item);
    walk.goTo(lamp.fixture);
    walk.say(`use ${itemName(lamp)}`);
    return walk.steps;
  }
  const target = firstOf(house, errand.target);
  const elsewhere = mustStartElsewhere(errand.family)
    ? wanted.filter(({ fixture }) => fixture.kind !== errand.target)
    : wanted;
  for (const item of elsewhere.slice(0, count)) {
    walk.take(item);
    if (treatment !== undefined) {
      const appliance = firstOf(house, appliances[treatment]);
      walk.goTo(appliance);
      walk.say(`${treatment} ${itemName(item)} with ${fixtureName(appliance)}`);
    }
    walk.open(target);
    walk.say(`move ${itemName(item)} to ${fixtureName(target)}`);
  }
  return walk.steps;
}

/** Keeps track of where the agent stands and of what it has opened. */
function walker(): {
  readonly steps: readonly string[];
  goTo(fixture: Fixture): void;
  open(fixture: Fixture): void;
  take(item: Item): void;
  say(command: string): void;
} {
  const steps: string[] = [];
  const opened = new Set<Fixture>();
  let place = 0;
  const goTo = (fixture: Fixture): void => {
    if (fixture.place !== place) steps.push(`go to ${fixtureName(fixture)}`);
    place = fixture.place;
  };
  const open = (fixture: Fixture): void => {
    goTo(fixture);
    if (fixture.shut && !opened.has(fixture)) steps.push(`open ${fixtureName(fixture)}`);
    opened.add(fixture);
  };
  return {
    steps,
    goTo,
    open,
    take: (item) => {
      open(item.fixture);
      steps.push(`take ${itemName(item)} from ${fixtureName(item.fixture)}`);
    },
    say: (command) => void steps.push(command),
  };
}

function firstOf(house: House, kind: ReceptacleKind): Fixture {
  return house.fixtures.find((fixture) => fixture.kind === kind) as Fixture;
}

function fixtureName({ kind, number }: Fixture): string {
  return `${kind.toLowerCase()} ${number}`;
}

function itemName({ kind, number }: Item): string {
  return `${kind.id.toLowerCase()} ${number}`;
}
