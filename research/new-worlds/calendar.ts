/** Calendar booking: two people are asked when they are free, and the first time of both gets a room that has what they need. */
import { drawOne, drawSome, smallWorld } from "./small-world.ts";

const NAMES = ["ada", "ben", "cleo", "dan", "eve", "finn", "gus", "hana"];
const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday"];
const NEEDS = ["screen", "phone", "board"];
const ROOMS = ["red", "blue", "green"];
const FREE = 3;

interface Meeting {
  readonly names: readonly string[];
  /** The days on which each is free, in the order of the week; one at least is shared. */
  readonly free: readonly (readonly string[])[];
  readonly need: string;
  /** What each room has, in the order of the rooms. */
  readonly has: readonly string[];
}

interface Facts {
  readonly asked: readonly string[];
  readonly day: string | undefined;
}

const isDay = (day: string): boolean => DAYS.includes(day);

/** Three of five days and three of five more: they always share one. */
const sharedDay = ([one = [], other = []]: Meeting["free"]): string => one.find((day) => other.includes(day)) ?? "";

export default smallWorld<Meeting, Facts>({
  id: "calendar",
  title: "Calendar",
  meaning: "Asks two people when they are free, and books the first day they share in a room that has what they need.",
  maxSteps: 7,
  draw: (rng) => ({
    names: drawSome(NAMES, 2, rng),
    free: [0, 1].map(() => drawSome(DAYS, FREE, rng).toSorted((a, b) => DAYS.indexOf(a) - DAYS.indexOf(b))),
    need: drawOne(NEEDS, rng),
    has: drawSome(NEEDS, NEEDS.length, rng),
  }),
  goal: ({ names, need }) => `book the first day of ${names.join(" and ")} in a room with a ${need}.`,
  facts: { asked: [], day: undefined },
  actions: ({ names }, { day }) => [
    ...names.map((name) => `ask ${name}`),
    ...DAYS.map((one) => `rooms on ${one}`),
    ...(day === undefined ? [] : ROOMS.map((room) => `book ${room}`)),
  ],
  act: ({ names, free, need, has }, { asked, day }, action) => {
    const [, verb, word = ""] = /^(ask|rooms on|book) (\w+)$/.exec(action) ?? [];
    if (verb === "ask" && names.includes(word)) {
      const days = free[names.indexOf(word)] ?? [];
      return {
        said: `${word} is free on ${days.join(", ")}.`,
        facts: { asked: [...new Set([...asked, word])].toSorted() },
      };
    }
    if (verb === "rooms on" && isDay(word)) {
      const rooms = ROOMS.map((room, at) => `${room} has a ${has[at]}`).join(", ");
      return { said: `On ${word}: ${rooms}.`, facts: { day: word } };
    }
    if (verb !== "book" || day === undefined || !ROOMS.includes(word)) return undefined;
    const won = day === sharedDay(free) && has[ROOMS.indexOf(word)] === need;
    return { said: won ? "They come." : "They cannot come.", won };
  },
  expert: () => {
    const free = new Map<string, readonly string[]>();
    return ({ observation }, goal) => {
      const [, one = "", other = "", need = ""] = /day of (\w+) and (\w+) in a room with a (\w+)/.exec(goal) ?? [];
      const [, name, days] = /^(\w+) is free on ([^.]+)/.exec(observation) ?? [];
      if (name !== undefined) free.set(name, days?.split(", ") ?? []);
      const unasked = [one, other].find((person) => !free.has(person));
      if (unasked !== undefined) return `ask ${unasked}`;
      const day = sharedDay([free.get(one) ?? [], free.get(other) ?? []]);
      if (!observation.startsWith(`On ${day}:`)) return `rooms on ${day}`;
      return `book ${new RegExp(String.raw`(\w+) has a ${need}`).exec(observation)?.[1]}`;
    };
  },
});
