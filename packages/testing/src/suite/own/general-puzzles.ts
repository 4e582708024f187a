/**
 * General reasoning that needs school knowledge alone (after General365): seed puzzles of eight categories, each with three
 * variants. A variant in other words, or with a sentence that changes nothing, has the seed's answer; one with other numbers
 * has another, so that who knows the seeds by heart is right in three of four and consistent in none.
 */
import { createRng, pick, shuffle, type Rng } from "limbeck-base/base/rng";
import type { SuiteInput } from "../suite.ts";

const SEEDS_EACH = 3;
const NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana"] as const;
const ASIDES = ["It rained that day.", "The clock on the wall was 12 minutes slow.", "A train with 7 coaches went by."];
export const VARIANTS = ["seed", "other words", "other numbers", "aside"] as const;

interface Puzzle {
  /** In the words of the seed, and in other words. */
  readonly texts: readonly [string, string];
  readonly answer: number;
}

type Maker = (rng: Rng) => Puzzle;

const between = (rng: Rng, low: number, high: number): number => low + rng.int(high - low + 1);

/** By category. What is drawn are numbers and names; the answer is computed. */
export const makers: Readonly<Record<string, Maker>> = {
  constraints: (rng) => {
    const order = shuffle(NAMES, rng).slice(0, 5);
    const [a, b, c, d, e] = order;
    const at = rng.int(5);
    const clues = shuffle([`${a} is first`, `${b} is right behind ${a}`, `${e} is last`, `${c} is ahead of ${d}`], rng);
    const who = order[at] ?? "";
    const shown = (text: string): string => `Five children stand in a row: ${clues.join("; ")}. ${text}`;
    return { texts: [shown(`At which place, from the front, is ${who}?`), shown(`Count from the front: which place has ${who}?`)], answer: at + 1 }; // prettier-ignore
  },
  branches: (rng) => {
    const [start, limit, add, less] = [
      between(rng, 10, 60),
      between(rng, 20, 50),
      between(rng, 3, 9),
      between(rng, 3, 9),
    ];
    const once = start > limit ? start - less : start + add;
    const answer = once % 2 === 0 ? once / 2 : once * 3;
    const rule = `If it is above ${limit}, take ${less} away, otherwise add ${add}. If what you have now is even, halve it, otherwise take it three times.`;
    return { texts: [`Begin with ${start}. ${rule} What do you have?`, `${rule} Which number comes out of ${start}?`], answer }; // prettier-ignore
  },
  words: (rng) => {
    const [pens, more] = [between(rng, 12, 40), between(rng, 2, 10)];
    const name = pick(NAMES, rng);
    const text = `${name} has ${pens} pens, and that is ${more} more than ${pick(["Ivo", "Jana"], rng)} has.`;
    return { texts: [`${text} How many has the other child?`, `The other child's pens are to be counted. ${text}`], answer: pens - more }; // prettier-ignore
  },
  counting: (rng) => {
    const [most, by] = [between(rng, 40, 120), between(rng, 3, 9)];
    const answer = Math.floor(most / by) - Math.floor(most / (by * 2));
    return { texts: [`How many numbers from 1 to ${most} can be divided by ${by} but not by ${by * 2}?`, `Of 1 to ${most}, count those that ${by} divides and ${by * 2} does not.`], answer }; // prettier-ignore
  },
  time: (rng) => {
    const [hour, minute, lasts] = [between(rng, 8, 15), between(rng, 0, 59), between(rng, 65, 170)];
    const shown = `${hour}:${String(minute).padStart(2, "0")}`;
    const answer = hour * 60 + minute + lasts;
    return { texts: [`A film begins at ${shown} and lasts ${lasts} minutes. How many minutes after midnight does it end?`, `${lasts} minutes of film from ${shown} on: count the minutes from midnight to its end.`], answer }; // prettier-ignore
  },
  space: (rng) => {
    const [east, north, west] = [between(rng, 5, 20), between(rng, 3, 15), between(rng, 1, 4)];
    const way = `${east} steps east, ${north} north, ${west} west`;
    return { texts: [`Somebody walks ${way}. By streets that run in these directions alone, how many steps is the shortest way back?`, `After ${way}: the fewest steps home, in these directions alone?`], answer: east - west + north }; // prettier-ignore
  },
  optimum: (rng) => {
    const [money, small, large] = [between(rng, 20, 60), between(rng, 2, 4), between(rng, 5, 9)];
    const most = (left: number): number => Math.floor(left / small);
    return { texts: [`Small cakes cost ${small}, large ones ${large}. With ${money} coins and at least one large cake, how many cakes can be bought at most?`, `You have ${money} coins and must take one large cake (${large}) or more; a small one is ${small}. The most cakes?`], answer: 1 + most(money - large) }; // prettier-ignore
  },
  chance: (rng) => {
    const [red, blue] = [between(rng, 3, 12), between(rng, 3, 12)];
    return { texts: [`A bag has ${red} red and ${blue} blue balls. How many must be drawn unseen to be sure of both colours?`, `${red} red balls and ${blue} blue ones, drawn blind: after how many has one each for sure?`], answer: Math.max(red, blue) + 1 }; // prettier-ignore
  },
};

/** Texts that are there already: no puzzle is asked twice. */
const asked = new Set<string>();

/** The seed and its variants, as they stand in VARIANTS. */
function family(make: Maker, rng: Rng): readonly { readonly text: string; readonly answer: number }[] {
  const fresh = (label: string, not?: number): Puzzle => {
    for (let at = 0; ; at += 1) {
      const made = make(rng.split(label).split(at));
      if (asked.has(made.texts[0]) || made.answer === not) continue;
      asked.add(made.texts[0]);
      return made;
    }
  };
  const { texts, answer } = fresh("seed");
  const other = fresh("numbers", answer);
  const aside = `${pick(ASIDES, rng.split("aside"))} ${texts[0]}`;
  return [
    { text: texts[0], answer },
    { text: texts[1], answer },
    { text: other.texts[0], answer: other.answer },
    { text: aside, answer },
  ];
}

export const generalPuzzles: SuiteInput = {
  suite: "general-puzzles",
  version: "1",
  meaning:
    "Puzzles of eight categories that need school knowledge alone, each in four forms: accuracy and consistency.",
  grader: "number",
  tasks: Object.entries(makers).flatMap(([category, make]) =>
    Array.from({ length: SEEDS_EACH }, (_, at) => `${category}/${at + 1}`).flatMap((seed) =>
      family(make, createRng("general puzzles").split(seed)).map(({ text, answer }, form) => ({
        id: `${seed}/${VARIANTS[form]}`,
        prompt: `${text} End with "#### " and the number.`,
        answer,
        solution: `#### ${answer}`,
        buckets: [category, VARIANTS[form] ?? ""],
        variantOf: seed,
      })),
    ),
  ),
};
