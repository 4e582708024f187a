/**
 * ReAgent-V where the answers are the bundled model's own: a linear critic learns from bookings whose truth it is shown, picks
 * among three versions of other answers, and keeps lessons for a student. By lot: the same versions, as many lessons.
 */
import { createRng, pick, shuffle, type Rng } from "../../packages/base/src/base/rng.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { bookingText, plantedText } from "../../packages/training/src/training/judge/planted.ts";
import { best, neutral } from "../../packages/training/src/training/judge/stances.ts";
import { createWordJudge } from "../../packages/training/src/training/judge/word-judge.ts";
import { ACCOUNTS, type Booking } from "../../packages/worlds/src/ledger/day.ts";
import { isRight, type Own } from "./own-bookings.ts";

const EPOCHS = 5;
/** Events that a student is measured on. */
const EVENTS = 200;

interface StanceSizes {
  /** Bookings that the critic has learnt from. */
  readonly shown: number;
  readonly lessons: number;
  /** Least score of a lesson that is kept. */
  readonly keep: number;
}

/** `twice`: two bookings of each event, the first one's answer and a bold one. */
export function stancesOn(
  bookings: readonly Own[],
  twice: readonly (readonly Own[])[],
  seed: number,
  sizes: StanceSizes,
) {
  const rng = createRng(`stances ${seed}`);
  const all = shuffle(bookings, rng);
  const critic = createWordJudge({ seed });
  critic.learn(
    all.slice(0, sizes.shown).map((one) => ({ text: plantedText(one), label: Number(isRight(one)) })),
    EPOCHS,
  );
  const answers = twice.flatMap(([one, bold]) =>
    one === undefined || bold === undefined ? [] : [[one, bold] as const],
  );
  const versions = answers.map(([one, bold]) => [one.given, neutral(critic, one), bold.given] as const);
  const share = (chosen: readonly Booking[]): number =>
    mean(answers.map(([{ right }], at) => Number(bookingText(chosen[at] as Booking) === bookingText(right))));
  const taught = all.slice(sizes.shown, sizes.shown + sizes.lessons);
  const kept = taught.filter((one) => critic.chance(plantedText(one)) >= sizes.keep);
  const lot = shuffle(taught, rng).slice(0, kept.length);
  const tests = answers.slice(0, EVENTS).map(([one]) => one);
  return {
    answers: answers.length,
    before: share(answers.map(([one]) => one.given)),
    revised: share(versions.map((own, at) => best(critic, (answers[at] as readonly [Own, Own])[0], own))),
    byLot: share(versions.map((own) => pick(own, rng) as Booking)),
    neutralAlone: share(versions.map(([, own]) => own)),
    boldAlone: share(versions.map(([, , own]) => own)),
    kept: kept.length,
    keptRight: mean(kept.map((one) => Number(isRight(one)))),
    lotRight: mean(lot.map((one) => Number(isRight(one)))),
    studentKept: studentOf(kept, tests, seed),
    // The right ones of those whose truth was shown, without a critic.
    studentShown: studentOf(all.slice(0, sizes.shown).filter(isRight), tests, seed),
    studentLot: studentOf(lot, tests, seed),
  };
}

const PAIRS = ACCOUNTS.flatMap((from) => ACCOUNTS.filter((to) => to !== from).map((to) => ({ from, to })));
/** Other bookings that a lesson is contrasted with. */
const OTHERS = 7;

/** Every pair of accounts with the amount that is right and two near ones. */
function waysOf({ right }: Own, rng: Rng): Booking[] {
  const amounts = [0, 1 + rng.int(9), -1 - rng.int(9)].map((more) => right.amount + more);
  return PAIRS.flatMap((pair) => amounts.map((amount) => ({ amount, ...pair })));
}

/** A student that imitates the lessons; gives the chance that it books a new event rightly. */
function studentOf(lessons: readonly Own[], tests: readonly Own[], seed: number): number {
  const rng = createRng(`student ${seed}`);
  const student = createWordJudge({ seed });
  const textsOf = ({ event }: Own, some: readonly Booking[]): string[] =>
    some.map((given) => plantedText({ event, given }));
  student.learnChoices(
    lessons.map((one) => {
      const others = shuffle(waysOf(one, rng), rng).filter((way) => bookingText(way) !== bookingText(one.given));
      return { texts: textsOf(one, [one.given, ...others.slice(0, OTHERS)]), chosen: 0 };
    }),
    EPOCHS,
  );
  return mean(
    tests.map((one) => {
      const ways = waysOf(one, rng);
      const at = ways.findIndex((way) => bookingText(way) === bookingText(one.right));
      return student.chances(textsOf(one, ways))[at] as number;
    }),
  );
}
