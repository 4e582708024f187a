/**
 * The kinds of quests; each is one readable function. Verbs, names and phrases are drawn when a quest is made, never later:
 * the same moves lead to the same words.
 */
import { shuffle } from "../../../packages/base/src/base/rng.ts";
import type { Rng } from "limbeck";
import { byMoves, type Quest } from "./quest.ts";
import { oneOf, type QuestWords } from "./words.ts";

type Make<State> = (rng: Rng, words: QuestWords) => Quest<State>;

/** Something lies somewhere and is wanted elsewhere. Places are searched in the order in which they are named. */
const fetch: Make<{ at: string; seen: readonly string[]; holds: boolean; done: boolean }> = (rng, words) => {
  const places = words.places(3 + rng.int(3));
  const [thing = "", ...others] = words.things(3);
  const [hidden = "", target = ""] = shuffle(places, rng);
  const go = oneOf(rng, "go to", "walk to", "enter", "visit", "move to", "travel to");
  const take = oneOf(rng, "take", "pick up", "grab", "get", "collect");
  const put = oneOf(rng, "drop", "put down", "leave", "deliver", "hand over");
  const phrase = oneOf(rng, "There is", "You see", "Here is", "On the floor:");
  const lies = (place: string, holds: boolean): string =>
    `${phrase} a ${place === hidden && !holds ? thing : others[place.length % others.length]}.`;
  return {
    goal: oneOf(rng, `Bring the ${thing} to the ${target}.`, `The ${target} needs the ${thing}.`, `Find the ${thing} and ${put} it in the ${target}.`), // prettier-ignore
    opening: `Places: ${places.join(", ")}.`,
    start: { at: "", seen: [], holds: false, done: false },
    ...byMoves((state) => [
      ...places
        .filter((place) => place !== state.at)
        .map((place) => ({
          command: `${go} ${place}`,
          state: { ...state, at: place, seen: [...state.seen, place] },
          text: `You are in the ${place}. ${lies(place, state.holds)}`,
        })),
      ...(state.at === hidden && !state.holds
        ? [{ command: `${take} ${thing}`, state: { ...state, holds: true }, text: `You have the ${thing}.` }]
        : []),
      ...(state.holds
        ? [{ command: `${put} ${thing}`, state: { ...state, holds: false, done: state.at === target }, text: `The ${thing} is in the ${state.at}.` }] // prettier-ignore
        : []),
    ]),
    ended: ({ done }) => (done ? "won" : undefined),
    best: ({ at, seen, holds }) => {
      if (holds) return at === target ? `${put} ${thing}` : `${go} ${target}`;
      if (at === hidden) return `${take} ${thing}`;
      return `${go} ${seen.includes(hidden) ? hidden : (places.find((place) => !seen.includes(place)) ?? hidden)}`;
    },
  };
};

/** Steps of a work in their order; one that comes too early spoils it. */
const work: Make<{ done: number; read: boolean; spoilt: boolean }> = (rng, words) => {
  const [thing = "", paper = ""] = words.things(2);
  const verbs = words.work(3 + rng.int(3));
  const steps = verbs.map((verb) => `${verb} the ${thing}`);
  const shown = shuffle(steps, rng);
  const told = rng.float() < 0.5;
  const order = oneOf(rng, steps.join(", then "), steps.join("; "), steps.map((step, at) => `${at + 1}. ${step}`).join(" ")); // prettier-ignore
  const praise = oneOf(rng, "Done.", "Good.", "That is right.", "Next.");
  const look = oneOf(rng, `read the ${paper}`, `look at the ${paper}`, `ask for help`);
  return {
    goal: oneOf(rng, `Finish the ${thing}.`, `Get the ${thing} ready.`, `Do all the work on the ${thing}, in the right order.`), // prettier-ignore
    opening: told ? `How it is done: ${order}.` : `How it is done is not known yet. You can ${look}.`,
    start: { done: 0, read: told, spoilt: false },
    ...byMoves((state) => [
      ...shown.map((step) => {
        const right = step === steps[state.done];
        return {
          command: step,
          state: right ? { ...state, done: state.done + 1 } : { ...state, spoilt: true },
          text: right ? praise : "That was wrong.",
        };
      }),
      ...(told ? [] : [{ command: look, state: { ...state, read: true }, text: `It says: ${order}.` }]),
    ]),
    ended: ({ done, spoilt }) => (spoilt ? "lost" : done === steps.length ? "won" : undefined),
    best: ({ done, read }) => (read ? (steps[done] ?? "") : look),
  };
};

/** A row of doors; each opens with what has its colour. */
const doors: Make<{ open: number; broken: number }> = (rng, words) => {
  const colours = words.qualities(4);
  const row = Array.from({ length: 2 + rng.int(3) }, () => oneOf(rng, ...colours));
  const tool = oneOf(rng, "key", "card", "token", "lever", "button");
  const use = oneOf(rng, "use", "try", "turn", "press", "show");
  const next = (open: number): string => (open === row.length ? "You are outside." : `The next door is ${row[open]}.`);
  return {
    goal: oneOf(rng, "Get outside.", "Leave the building.", "Open all doors."),
    opening: `You have ${colours.map((colour) => `a ${colour} ${tool}`).join(", ")}. ${next(0)}`,
    start: { open: 0, broken: 0 },
    ...byMoves(({ open, broken }) =>
      colours.map((colour) => {
        const right = colour === row[open];
        return {
          command: `${use} ${colour} ${tool}`,
          state: right ? { open: open + 1, broken } : { open, broken: broken + 1 },
          text: right ? `It opens. ${next(open + 1)}` : "Nothing happens.",
        };
      }),
    ),
    ended: ({ open, broken }) => (open === row.length ? "won" : broken >= 3 ? "lost" : undefined),
    best: ({ open }) => `${use} ${row[open]} ${tool}`,
  };
};

/** Some things with a price each; one of them is wanted, by its price or by what it is like. */
const choice: Make<{ seen: readonly string[]; chosen: string | null }> = (rng, words) => {
  const things = words.things(3 + rng.int(3));
  const unit = oneOf(rng, "coins", "euros", "points", "grams", "days");
  const numbers = shuffle(Array.from({ length: 40 }, (_, at) => at + 1), rng).slice(0, things.length); // prettier-ignore
  const ranked = things.toSorted((one, two) => (numbers[things.indexOf(one)] ?? 0) - (numbers[things.indexOf(two)] ?? 0)); // prettier-ignore
  const lowest = rng.float() < 0.5;
  const wanted = (lowest ? ranked[0] : ranked.at(-1)) as string;
  const open = rng.float() < 0.4;
  const ask = oneOf(rng, "look at", "inspect", "check", "weigh", "ask about");
  const choose = oneOf(rng, "choose", "buy", "select", "order", "take");
  const told = (thing: string): string => `${thing}: ${numbers[things.indexOf(thing)]} ${unit}`;
  return {
    goal: oneOf(rng, `${choose} what has the ${lowest ? "fewest" : "most"} ${unit}.`, `Which has the ${lowest ? "lowest" : "highest"} number of ${unit}? ${choose} it.`), // prettier-ignore
    opening: open ? `${things.map(told).join(", ")}.` : `There are ${things.join(", ")}.`,
    start: { seen: open ? things : [], chosen: null },
    ...byMoves((state) => [
      ...(open ? [] : things.map((thing) => ({ command: `${ask} ${thing}`, state: { ...state, seen: [...state.seen, thing] }, text: `${told(thing)}.` }))), // prettier-ignore
      ...things.map((thing) => ({ command: `${choose} ${thing}`, state: { ...state, chosen: thing }, text: thing === wanted ? "Right." : "No." })), // prettier-ignore
    ]),
    ended: ({ chosen }) => (chosen === null ? undefined : chosen === wanted ? "won" : "lost"),
    best: ({ seen }) => {
      const unseen = things.find((thing) => !seen.includes(thing));
      return unseen === undefined ? `${choose} ${wanted}` : `${ask} ${unseen}`;
    },
  };
};

/** One knows who knows; the last one knows the answer. */
const people: Make<{ asked: number; said: string | null }> = (rng, words) => {
  const chain = words.people(2 + rng.int(3));
  const [thing = ""] = words.things(1);
  const places = words.places(4);
  const where = places[rng.int(places.length)] as string;
  const listed = shuffle(chain, rng);
  const ask = oneOf(rng, "ask", "talk to", "call", "write to");
  const answer = oneOf(rng, "answer", "say", "report", "tell");
  return {
    goal: oneOf(rng, `Where is the ${thing}?`, `Find out where the ${thing} is and ${answer} the place.`),
    opening: `${chain[0]} may know. It could be in: ${places.join(", ")}.`,
    start: { asked: 0, said: null },
    ...byMoves((state) => [
      ...listed.map((person) => {
        const at = chain.indexOf(person);
        const knows = at === chain.length - 1;
        const fresh = at === state.asked;
        return {
          command: `${ask} ${person}`,
          state: fresh ? { ...state, asked: at + 1 } : state,
          text: at > state.asked ? `${person} does not know you.` : knows ? `${person} says: the ${thing} is in the ${where}.` : `${person} says: ${chain[at + 1]} knows more.`, // prettier-ignore
        };
      }),
      ...places.map((place) => ({ command: `${answer} ${place}`, state: { ...state, said: place }, text: place === where ? "Right." : "No." })), // prettier-ignore
    ]),
    ended: ({ said }) => (said === null ? undefined : said === where ? "won" : "lost"),
    best: ({ asked }) => (asked === chain.length ? `${answer} ${where}` : `${ask} ${chain[asked]}`),
  };
};

/** Fields with the values that the goal names, in any of several spellings; then it is sent. */
const form: Make<{ filled: readonly string[]; sent: boolean; wrong: boolean }> = (rng, words) => {
  const [person = ""] = words.people(1);
  const [place = ""] = words.places(1);
  const [thing = ""] = words.things(1);
  const all = [["name", person], ["place", place], ["item", thing], ["count", String(1 + rng.int(99))]] as const; // prettier-ignore
  const fields = shuffle(all, rng).slice(0, 2 + rng.int(3));
  const others = { name: words.people(1)[0], place: words.places(1)[0], item: words.things(1)[0], count: "100" };
  const spell = [
    (name: string, value: string) => `set ${name} to ${value}`,
    (name: string, value: string) => `${name}: ${value}`,
    (name: string, value: string) => `{"field":"${name}","value":"${value}"}`,
    (name: string, value: string) => `fill(${name}, ${value})`,
  ][rng.int(4)] as (name: string, value: string) => string;
  const send = oneOf(rng, "submit", "send", "finish", '{"send":true}');
  return {
    goal: `Fill in the form: ${fields.map(([name, value]) => `${name} ${value}`).join(", ")}.`,
    opening: `A field is filled like this: ${spell("NAME", "VALUE")}. At the end: ${send}`,
    start: { filled: [], sent: false, wrong: false },
    ...byMoves((state) => [
      ...fields.map(([name, value]) => ({ command: spell(name, value), state: { ...state, filled: [...new Set([...state.filled, name])] }, text: `${name} is ${value}.` })), // prettier-ignore
      ...fields.map(([name]) => ({ command: spell(name, others[name] ?? ""), state: { ...state, wrong: true }, text: `${name} is ${others[name]}.` })), // prettier-ignore
      { command: send, state: { ...state, sent: true }, text: "Sent." },
    ]),
    ended: ({ sent, filled, wrong }) => (sent ? (filled.length === fields.length && !wrong ? "won" : "lost") : undefined), // prettier-ignore
    best: ({ filled }) => {
      const next = fields.find(([name]) => !filled.includes(name));
      return next === undefined ? send : spell(next[0], next[1]);
    },
  };
};

/** Halving what is left. */
const number: Make<{ low: number; high: number; tries: number; found: boolean }> = (rng) => {
  const highest = 4 + rng.int(13);
  const hidden = 1 + rng.int(highest);
  const say = oneOf(rng, "guess", "try", "say", "number");
  const [more, less] = [["higher", "lower"], ["more", "less"], ["too small", "too large"]][rng.int(3)] as [string, string]; // prettier-ignore
  return {
    goal: oneOf(rng, `Find the number from 1 to ${highest}.`, `A number between 1 and ${highest} is wanted.`),
    opening: `Write: ${say} N.`,
    start: { low: 1, high: highest, tries: 0, found: false },
    ...byMoves((state) =>
      Array.from({ length: highest }, (_, at) => {
        const tried = at + 1;
        const [low, high] = tried < hidden ? [Math.max(state.low, tried + 1), state.high] : [state.low, Math.min(state.high, tried - 1)]; // prettier-ignore
        const found = tried === hidden;
        return {
          command: `${say} ${tried}`,
          state: { low, high, tries: state.tries + 1, found },
          text: found ? "Right." : `${tried}: ${tried < hidden ? more : less}.`,
        };
      }),
    ),
    ended: ({ found, tries }) => (found ? "won" : tries >= 6 ? "lost" : undefined),
    best: ({ low, high }) => `${say} ${Math.floor((low + high) / 2)}`,
  };
};

export const questKinds = { fetch, work, doors, choice, people, form, number } as const;
