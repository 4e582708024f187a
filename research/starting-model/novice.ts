/**
 * The demonstrator of unadvised episodes: it can search, take and carry, but guesses at the one thing each family of
 * errands turns on: how a thing is put down, what a lamp is for, which appliance does what, whether one thing was enough.
 *
 * Every guess is between a few equally likely ways, the right one among them. So the policy that is cloned from it finds
 * the right way now and then in every family, at low and at high temperature alike, and has something to learn from.
 *
 * Advice changes it: what it was told to prefer it does, what it was told to avoid it leaves.
 */
import { pick } from "../../packages/base/src/base/rng.ts";
import type { Rng } from "limbeck";
import type { Seen } from "limbeck/env";
import { appliances } from "../../packages/worlds/src/household/families.ts";
import { createMemory, goTo, kindName, type Memory } from "../../packages/worlds/src/household/memory.ts";
import { expertStyle } from "../../packages/worlds/src/household/demonstrators.ts";
import { readGoal, type Goal } from "../../packages/worlds/src/household/goal.ts";
import { spotsOf, type Spot } from "./spots.ts";
import { advised, chooseOption, NO_ADVICE, type Advice, type Option } from "./advice.ts";

export interface NoviceOptions {
  /** Default: "guess"; one that knows still searches like a novice. */
  readonly knows?: boolean;
  readonly advice?: Advice;
}

export interface Novice {
  next(seen: Seen): string;
  /** Another draw at the moment it just saw, without these commands; undefined when it knows no other way. */
  reconsider(avoided: readonly string[]): string | undefined;
  /** Wrong turns taken so far, each with what would have been right; material for avoidance rules. */
  readonly blunders: readonly Blunder[];
  /** Whether it believes that nothing is left to do. */
  readonly idle: boolean;
}

export interface Blunder {
  readonly did: string;
  readonly better: string;
}

/** What looks as if it might clean, heat or cool, to one who does not know. */
const APPLIANCES: ReadonlySet<string> = new Set([
  "bathtubbasin",
  "coffeemachine",
  "fridge",
  "microwave",
  "sinkbasin",
  "stoveburner",
  "toaster",
  "toilet",
]);

const VERBS = ["clean", "heat", "cool"] as const;

/** Chances that are tuned so that about three unadvised episodes in ten succeed, in every family. */
const CHANCES = {
  opensDoor: 0.9,
  searchesSensibly: 0.8,
  /** After a wrong guess: thinks again, rather than going on as if it had worked. */
  thinksAgain: 0.2,
  /** The right way at the point each family turns on. */
  putsDown: 0.31,
  lightsLamp: 0.33,
  choosesAppliance: 0.31,
  fetchesSecond: 0.28,
  /** Puts a thing down rightly in families that turn on something else. */
  putsDownElsewhere: 0.93,
};

export function startNovice(goalText: string, rng: Rng, options: NoviceOptions = {}): Novice {
  const { knows = false, advice = NO_ADVICE } = options;
  const goal = readGoal(goalText);
  const { memory, notice } = createMemory();
  const blunders: Blunder[] = [];
  const mind: Mind = { memory, goal, rng, knows, advice, blunders, done: false, guess: undefined };
  const choose = (): string => (mind.done ? idle(mind) : (act(mind) ?? idle(mind)));
  return {
    blunders,
    get idle() {
      return mind.done;
    },
    next: (seen) => {
      notice(seen);
      reflect(mind, seen);
      return choose();
    },
    reconsider: (avoided) => {
      const usual = mind.advice;
      mind.advice = { ...usual, avoided: [...usual.avoided, ...avoided] };
      mind.guess = undefined;
      let found: string | undefined;
      for (let draw = 0; draw < 8 && found === undefined; draw += 1) {
        const action = choose();
        if (!avoided.includes(action)) found = action;
      }
      mind.advice = usual;
      return found;
    },
  };
}

interface Mind {
  readonly memory: Memory;
  readonly goal: Goal;
  readonly rng: Rng;
  readonly knows: boolean;
  advice: Advice;
  readonly blunders: Blunder[];
  done: boolean;
  /** What it decided to do at the point in question, until that is tried. */
  guess: Option | undefined;
}

/** Thinks about what the last command brought. What it decides here follows from what was really done. */
function reflect(mind: Mind, { action = "", observation }: Seen): void {
  const { memory, goal, rng, guess: tried } = mind;
  const idles = mind.advice.avoided.includes("look");
  const again = mind.knows || idles || rng.float() < CHANCES.thinksAgain;
  const holds = memory.held !== undefined && kindName(memory.held) === goal.thing;
  const moved = observation.startsWith("You move the ");
  // Tried once; whatever came of it, it believes the thing treated, unless it thinks again.
  if (tried?.aim !== undefined && action === tried.command) mind.guess = again ? undefined : { command: action };
  if (moved) mind.guess = undefined;
  const believesDone =
    (action.startsWith("put ") && observation.startsWith("Nothing happens")) ||
    (action.startsWith("examine ") &&
      holds &&
      (goal.underLamp || memory.atHand.some((name) => isTarget(name, goal)))) ||
    (action === "look" && goal.count === 2 && !holds && placedThings(mind).length > 0) ||
    (moved && goal.count === 1);
  if (believesDone) mind.done = !again;
}

function isTarget(receptacle: string, goal: Goal): boolean {
  return kindName(receptacle) === goal.target;
}

function act(mind: Mind): string | undefined {
  const { memory, goal } = mind;
  const { held } = memory;
  if (held === undefined) return fetch(mind);
  if (kindName(held) !== goal.thing) return putAside(mind, held);
  if (goal.underLamp) return shine(mind, held);
  if (goal.treatment !== undefined) {
    const way = treat(mind, held);
    if (way !== undefined) return way;
  }
  return bring(mind, held);
}

function fetch(mind: Mind): string | undefined {
  const { memory, goal } = mind;
  const placed = placedThings(mind);
  if (goal.count === 2 && placed.length > 0) {
    const [inTarget] = placed as [Spot];
    mind.guess ??= guess(mind, "fetch another", CHANCES.fetchesSecond, [
      { command: "look" },
      { command: `take ${inTarget.thing} from ${inTarget.receptacle}`, place: inTarget.receptacle },
    ]);
    const { command, place } = mind.guess;
    if (place !== undefined) return goTo(memory, place) ?? command;
    if (command === "look") return command;
  }
  const spots = spotsOf(memory, goal.thing).filter(
    ({ receptacle }) => goal.treatment !== undefined || kindName(receptacle) !== goal.target,
  );
  const named = spots.find((spot) => advised(mind.advice, `take ${spot.thing} from ${spot.receptacle}`));
  const spot = named ?? spots.find(({ receptacle }) => memory.atHand.includes(receptacle)) ?? spots[0];
  if (spot === undefined) return search(mind, goal.thing);
  return reach(mind, spot.receptacle) ?? `take ${spot.thing} from ${spot.receptacle}`;
}

function shine(mind: Mind, held: string): string | undefined {
  const { memory, goal } = mind;
  const lamps = spotsOf(memory, goal.target);
  const spot = lamps.find(({ receptacle }) => memory.atHand.includes(receptacle)) ?? lamps[0];
  if (spot === undefined) return search(mind, goal.target);
  const way = reach(mind, spot.receptacle);
  if (way !== undefined) return way;
  return guess(mind, `use ${spot.thing}`, CHANCES.lightsLamp, [
    { command: `examine ${held}` },
    { command: `move ${held} to ${spot.receptacle}` },
  ]).command;
}

/** The way to the appliance it believes in, then the treatment; undefined when it believes that to be done. */
function treat(mind: Mind, held: string): string | undefined {
  const { memory, goal } = mind;
  const { treatment } = goal;
  if (treatment === undefined) return undefined;
  const right = memory.receptacles.find((name) => kindName(name) === appliances[treatment].toLowerCase());
  if (memory.wasTreated(held, treatment) || right === undefined) return undefined;
  mind.guess ??= chooseAppliance(mind, held, right, treatment);
  const { command, aim: appliance } = mind.guess;
  if (appliance === undefined) return undefined;
  return goTo(memory, appliance) ?? command;
}

function chooseAppliance(mind: Mind, held: string, right: string, treatment: string): Option {
  const { memory, goal } = mind;
  const others = memory.receptacles.filter((name) => name !== right && APPLIANCES.has(kindName(name)));
  const wrong = others.map((aim): Option => {
    const offer = VERBS.map((verb) => `${verb} ${held} with ${aim}`).find(
      (command) => memory.admissible?.includes(command) === true,
    );
    return { command: offer ?? `${treatment} ${held} with ${aim}`, aim, place: aim };
  });
  const target = memory.receptacles.find((name) => kindName(name) === goal.target) ?? right;
  const skip: Option = { command: `move ${held} to ${target}`, place: target };
  const best: Option = { command: `${treatment} ${held} with ${right}`, aim: right, place: right };
  return guess(mind, best, CHANCES.choosesAppliance, [...wrong, skip]);
}

function bring(mind: Mind, held: string): string | undefined {
  const { memory, goal, rng } = mind;
  const targets = memory.receptacles.filter((name) => kindName(name) === goal.target);
  const holding = goal.count === 2 ? placedThings(mind).map(({ receptacle }) => receptacle) : [];
  const target = holding[0] ?? targets.find((name) => memory.atHand.includes(name)) ?? targets[0];
  if (target === undefined) return undefined;
  const way = reach(mind, target);
  if (way !== undefined) return way;
  const turnsOnIt = goal.count === 1 && goal.treatment === undefined;
  const chance = turnsOnIt ? CHANCES.putsDown : CHANCES.putsDownElsewhere;
  const word = rng.float() < 0.5 ? "in" : "on";
  return guess(mind, `move ${held} to ${target}`, chance, [
    { command: `put ${held} ${word} ${target}` },
    { command: `examine ${target}` },
  ]).command;
}

/** One of the ways: the right one with its chance, the others alike; advice and knowledge come first. */
function guess(mind: Mind, right: string | Option, chance: number, others: readonly Option[]): Option {
  const best: Option = typeof right === "string" ? { command: right } : right;
  if (mind.knows) return best;
  const share = (1 - chance) / others.length;
  const chosen = chooseOption(
    [{ option: best, weight: chance }, ...others.map((option) => ({ option, weight: share }))],
    mind.advice,
    mind.rng,
  );
  const first = ({ command, place }: Option): string =>
    place === undefined ? command : (goTo(mind.memory, place) ?? command);
  if (chosen !== best) mind.blunders.push({ did: first(chosen), better: first(best) });
  return chosen;
}

/** Goes to a receptacle and opens it; undefined when it stands open and within reach. */
function reach({ memory }: Mind, receptacle: string): string | undefined {
  return goTo(memory, receptacle) ?? (memory.shut.has(receptacle) ? `open ${receptacle}` : undefined);
}

function search(mind: Mind, kind: string): string | undefined {
  const { memory, goal, rng } = mind;
  const shutHere = memory.atHand.find((name) => memory.shut.has(name) && !memory.contents.has(name));
  if (shutHere !== undefined && rng.float() < CHANCES.opensDoor) return `open ${shutHere}`;
  const sensible = expertStyle(memory, goal).searchNext(kind);
  const unseen = memory.receptacles.filter((name) => !memory.contents.has(name) && !memory.atHand.includes(name));
  const next = mind.knows || rng.float() < CHANCES.searchesSensibly ? sensible : pick(unseen, rng);
  const place = next ?? sensible ?? pick(memory.receptacles, rng);
  return place === undefined ? undefined : (reach(mind, place) ?? `examine ${place}`);
}

/** Frees the hand of something nobody asked for. */
function putAside({ memory, rng }: Mind, held: string): string | undefined {
  const here = memory.admissible?.find((command) => command.startsWith(`move ${held} to `));
  const shutHere = memory.atHand.find((name) => memory.shut.has(name));
  if (here !== undefined || shutHere !== undefined) return here ?? `open ${shutHere}`;
  const place = pick(
    memory.receptacles.filter((name) => !memory.atHand.includes(name)),
    rng,
  );
  return place === undefined ? undefined : `go to ${place}`;
}

function idle({ memory, goal, rng, advice }: Mind): string {
  const draw = rng.float();
  const told = (command: string): boolean => advice.avoided.includes(command);
  if (draw < 0.5 && !told("look")) return "look";
  if (draw < 0.65 && !told("inventory")) return "inventory";
  const target = memory.receptacles.find((name) => kindName(name) === goal.target);
  if (draw < 0.8 && target !== undefined && memory.atHand.includes(target)) return `examine ${target}`;
  const away = pick(
    memory.receptacles.filter((name) => !memory.atHand.includes(name)),
    rng,
  );
  return away === undefined ? "look" : `go to ${away}`;
}

function placedThings({ memory, goal }: Mind): readonly Spot[] {
  return spotsOf(memory, goal.thing).filter(({ receptacle }) => kindName(receptacle) === goal.target);
}
