/**
 * Official games in our own words: the facts of an official game, restated for our domain and grammar, must play the
 * same. Compared are observations, lists, validity and outcome along walkthroughs, random walks and refused commands.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRng, pick, type Rng } from "limbeck-base/base/rng";
import { parseGameFile, type GameFile } from "../alfworld/game-file.ts";
import { createGameReader } from "../alfworld/game.ts";
import { openGame, type GameState } from "../alfworld/episode.ts";
import { householdDomain, householdGrammar, TASK_PREFIX } from "./household-words.ts";

const folder = join(import.meta.dirname, "../../../../../shared/data/alfworld/valid_seen");
const there = existsSync(folder);

/** Official predicates and types by ours; a pair of facts where ours are swapped is handled below. */
const renamed: Readonly<Record<string, string>> = {
  atlocation: "at",
  receptacleatlocation: "stands",
  objectatlocation: "lies",
  inreceptacle: "inside",
  openable: "shuts",
  opened: "reachable",
  receptacletype: "variety",
  objecttype: "sort",
  cancontain: "accepts",
  pickupable: "portable",
  cleanable: "washable",
  heatable: "heatable",
  coolable: "coolable",
  sliceable: "sliceable",
  toggleable: "switchable",
  isreceptacleobject: "hollow",
  holds: "carries",
  isclean: "clean",
  ishot: "hot",
  iscool: "cool",
  issliced: "sliced",
  istoggled: "lit",
  location: "place",
  rtype: "rkind",
  otype: "okind",
};

/** The same situation for our domain: renamed facts, and plain facts for what theirs concludes from types. */
function restate(game: GameFile): GameFile {
  const text = game.pddl_problem.toLowerCase();
  const [objects = "", rest = ""] = text.slice(text.indexOf("(:objects") + "(:objects".length).split("(:init");
  const [init = "", goal = ""] = rest.split("(:goal");
  const facts = [...init.matchAll(/\(([^()]+)\)/g)].map((match) => (match[1] as string).trim().split(/\s+/));
  const openable = new Set(facts.filter(([name]) => name === "openable").map(([, receptacle]) => receptacle));
  const ours = facts.flatMap(([name = "", first = "", second = ""]) => {
    if (name === "inreceptacleobject") return [`(contains ${second} ${first})`];
    const fact = `(${renamed[name] ?? name} ${first} ${second})`;
    if (name === "receptacletype") {
      const jobs: Readonly<Record<string, string>> = {
        sinktype: "washer",
        sinkbasintype: "washer",
        microwavetype: "heater",
        fridgetype: "cooler",
      };
      const job = jobs[second] === undefined ? [] : [`(${jobs[second]} ${first})`];
      return [fact, ...job, ...(openable.has(first) ? [] : [`(reachable ${first})`])];
    }
    return name === "objecttype" && /^(?:butter)?knifetype$/.test(second) ? [fact, `(blade ${first})`] : [fact];
  });
  const rename = (words: string): string => words.replaceAll(/[a-z]\w*/g, (word) => renamed[word] ?? word);
  const errand = /Your task is to: ([^"]*)"/.exec(game.grammar)?.[1] ?? "";
  expect(game.grammar).toContain(TASK_PREFIX);
  return {
    pddl_domain: householdDomain(),
    grammar: householdGrammar(errand),
    pddl_problem: `(define (problem restated)\n(:domain household)\n(:objects ${rename(objects)}\n(:init\n${ours.join("\n")}\n)\n(:goal${rename(goal)}`,
    solvable: true,
    walkthrough: game.walkthrough,
  };
}

interface Pair {
  readonly official: GameState;
  readonly ours: GameState;
}

/** Our help is worded by ourselves. */
const OWN_WORDS = "help";

function compareNow({ official, ours }: Pair): void {
  expect(ours.commands()).toEqual(official.commands());
  expect(ours.won).toBe(official.won);
}

function play(pair: Pair, command: string): void {
  const expected = pair.official.act(command);
  const reply = pair.ours.act(command);
  expect(reply.valid).toBe(expected.valid);
  const shown = (text: string): string => `${command}: ${command === OWN_WORDS ? "" : text}`;
  expect(shown(reply.text)).toBe(shown(expected.text));
  compareNow(pair);
}

/** What opens the way to rare commands: the appliances, and a knife in the hand. */
const LEADS = /^go to (?:sinkbasin|microwave|fridge|countertop)|^take (?:butter)?knife/;

/** A kind of command first, then one of that kind, so that walking does not drown the rare ones. */
function randomCommand(state: GameState, rng: Rng): string {
  const commands = state.commands();
  const leads = commands.filter((command) => LEADS.test(command));
  if (leads.length > 0 && rng.float() < 0.25) return pick(leads, rng) as string;
  const verb = pick([...new Set(commands.map(verbOf))], rng);
  return pick(rng.float() < 0.3 ? commands : commands.filter((command) => verbOf(command) === verb), rng) ?? "look";
}

function verbOf(command: string): string {
  return command.split(" ")[0] ?? "";
}

const everyKind = "clean close cool examine go heat help inventory look move open slice take use".split(" ");

const reader = createGameReader();

function files(): readonly string[] {
  if (!there) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((game) => readdirSync(join(folder, game)).map((trial) => join(folder, game, trial, "game.tw-pddl")))
    .filter((file) => existsSync(file));
}

describe.skipIf(!there)("official games restated for our domain (needs ../shared/data/alfworld)", () => {
  // Every fifth game: all six families and all four kinds of rooms are among them.
  const chosen = files().filter((_, index) => index % 5 === 0);

  test("play the same along walkthroughs, random walks and refused commands", () => {
    const kinds = new Set<string>();
    for (const file of chosen) {
      const game = parseGameFile(readFileSync(file, "utf8"), file);
      const [one, other] = [reader.read(game), reader.read(restate(game))];
      const walk: Pair = { official: openGame(one), ours: openGame(other) };
      expect(walk.ours.opening()).toBe(walk.official.opening());
      compareNow(walk);
      for (const command of game.walkthrough ?? []) play(walk, command);
      expect(walk.ours.won).toBe(true);
      const rng = createRng(file.slice(folder.length));
      const stroll: Pair = { official: openGame(one), ours: openGame(other) };
      for (let step = 0; step < 60; step += 1) {
        const command = rng.float() < 0.1 ? refused(stroll.official, rng) : randomCommand(stroll.official, rng);
        play(stroll, command);
        kinds.add(verbOf(command));
      }
    }
    expect(chosen.length).toBeGreaterThan(20);
    expect([...kinds].filter((kind) => everyKind.includes(kind)).sort()).toEqual(everyKind);
  });
});

/** A command that is not possible now: one of another game's kind, a wrong name or another place. */
function refused(state: GameState, rng: Rng): string {
  const possible = new Set(state.commands());
  const wild = [
    "go to attic 1",
    "take mug 9 from bed 7",
    "open fridge 1",
    "close drawer 1",
    "use desklamp 1",
    "xyzzy",
    "",
  ];
  return pick(
    wild.filter((command) => !possible.has(command)),
    rng,
  ) as string;
}
