/** An answer that is looked at by a critic and revised from three stances, and what such answers are worth as lessons (ReAgent-V). */
import { createRng, pick, shuffle, type Rng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { ACCOUNTS, type Booking } from "limbeck-worlds/ledger/day";
import { defineJudging } from "./judging.ts";
import { bookingText, FAULTS, plantedText, plantMany, spoil, type PlantedFault, type Planted } from "./planted.ts";
import { createWordJudge, type WordJudge } from "./word-judge.ts";

export const stances = defineJudging({
  info: {
    title: "ReAgent-V",
    meaning:
      "A critic scores an answer; it is revised conservatively, neutrally and boldly, and the version the critic finds best stays. Answers it finds good teach a student.",
    paper: "ReAgent-V: A Reward-Driven Multi-Agent Framework for Video Understanding",
    confidence: "code",
    source: "aiming-lab/ReAgent-V @ c0cda9c6; ReAgent-V/ReAgentV.py: get_reflective_final_answer",
    formula: [
      "conservative: the answer itself;   neutral: one part changed;   bold: a new answer",
      "kept = argmax of critic over the three;   filtered lessons: those with critic >= keep",
    ],
    departures: [
      "The version that the critic finds best is kept; in the source every version states its confidence, and a further answer is made of all three.",
      "Bookings of the ledger in the place of videos; the answerer is a script whose hand slips, critic and student are linear models over words.",
    ],
  },
  options: {
    slips: option.number(0.4, "share of answers that are wrong", { least: 0, most: 1 }),
    lessons: option.count(1200, "answers that the critic and the student learn from, each"),
    heldOut: option.count(500, "events that are measured on"),
    epochs: option.count(5, "times they are seen"),
    keep: option.number(0.7, "least score of a lesson that is kept", { least: 0, most: 1 }),
  },
  run: async ({ slips, lessons, heldOut, epochs, keep }, seed) => {
    const rng = createRng(`stances ${seed}`);
    const critic = createWordJudge({ seed });
    critic.learn(
      plantMany(lessons, FAULTS, rng).map((one) => ({
        text: plantedText(one),
        label: Number(one.fault === undefined),
      })),
      epochs,
    );
    const answers = plantMany(heldOut, FAULTS, rng, slips);
    const isRight = ({ right }: Planted, given: Booking): number => Number(bookingText(given) === bookingText(right));
    const revised = answers.map((one) => best(critic, one, [one.given, neutral(critic, one), bold(one, slips, rng)]));
    // Without the critic one of the three is taken by chance.
    const blind = answers.map((one) => pick([one.given, neutral(critic, one), bold(one, slips, rng)], rng) as Booking);
    const taught = plantMany(lessons, FAULTS, rng, slips);
    const kept = taught.filter((one) => critic.chance(plantedText(one)) >= keep);
    const score = (some: readonly Booking[]): number =>
      mean(answers.map((one, at) => isRight(one, some[at] as Booking)));
    const before = score(answers.map(({ given }) => given));
    const after = score(revised);
    // As many of both: what is left out is not what makes the difference.
    const unfiltered = studentOf(taught.slice(0, kept.length), { epochs, seed, heldOut });
    const filtered = studentOf(kept, { epochs, seed, heldOut });
    const metrics = {
      before,
      after,
      gain: after - before,
      blind: score(blind),
      kept: kept.length / taught.length,
      filtered,
      unfiltered,
      lessonGain: filtered - unfiltered,
    };
    return Promise.resolve({ metrics, kept: { judge: critic, reads: "bookings" } });
  },
});

/** A booking and the right one, whoever made it. */
type Lesson = Pick<Planted, "event" | "right" | "given">;

export function best(critic: WordJudge, { event }: Pick<Lesson, "event">, some: readonly Booking[]): Booking {
  const scores = some.map((given) => critic.chance(plantedText({ event, given })));
  return some[scores.indexOf(Math.max(...scores))] as Booking;
}

/** One part of it changed, as the critic likes best: the accounts swapped, one of them another, or the amount that is stated. */
export function neutral(critic: WordJudge, one: Lesson): Booking {
  const { given, event } = one;
  const stated = (event.match(/\d+/g) ?? []).map(Number);
  return best(critic, one, [
    { ...given, from: given.to, to: given.from },
    ...ACCOUNTS.filter((name) => name !== given.from && name !== given.to).flatMap((name) => [
      { ...given, from: name },
      { ...given, to: name },
    ]),
    ...stated.map((amount) => ({ ...given, amount })),
  ]);
}

/** Answered anew by the same hand. */
function bold({ right }: Planted, slips: number, rng: Rng): Booking {
  return rng.float() < slips ? spoil(right, pick(FAULTS, rng) as PlantedFault, rng) : right;
}

const PAIRS = ACCOUNTS.flatMap((from) => ACCOUNTS.filter((to) => to !== from).map((to) => ({ from, to })));
/** Other accounts that a lesson is contrasted with. */
const OTHERS = 7;

/** A student that imitates the lessons; gives the chance that it books a new event on the right accounts. */
function studentOf(
  lessons: readonly Lesson[],
  { epochs, seed, heldOut }: { readonly epochs: number; readonly seed: number; readonly heldOut: number },
): number {
  const rng = createRng(`student ${seed}`);
  const student = createWordJudge({ seed });
  const textsOf = ({ event, right }: Lesson, pairs: readonly Pick<Booking, "from" | "to">[]): string[] =>
    pairs.map((pair) => plantedText({ event, given: { ...pair, amount: right.amount } }));
  student.learnChoices(
    lessons.map((one) => {
      const others = shuffle(PAIRS, rng).filter(({ from, to }) => from !== one.given.from || to !== one.given.to);
      return { texts: textsOf(one, [one.given, ...others.slice(0, OTHERS)]), chosen: 0 };
    }),
    epochs,
  );
  const events = plantMany(Math.min(heldOut, 200), FAULTS, rng, 0);
  return mean(
    events.map((one) => {
      const at = PAIRS.findIndex(({ from, to }) => from === one.right.from && to === one.right.to);
      return student.chances(textsOf(one, PAIRS))[at] as number;
    }),
  );
}
