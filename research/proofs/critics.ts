/**
 * MultiCritique with critics that have learnt: three linear critics, each from a few bookings of its own whose truth it was
 * shown, then a fourth that learns from what they say of bookings whose truth is not shown. All bookings are the bundled
 * model's own. Arms have as many calls of critics, or as many bookings.
 */
import { createRng, pick, shuffle } from "../../packages/base/src/base/rng.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { f1Of, plantedText } from "../../packages/training/src/training/judge/planted.ts";
import { createWordJudge, type WordJudge } from "../../packages/training/src/training/judge/word-judge.ts";
import { isRight, type Own } from "./own-bookings.ts";

const CRITICS = 3;
const EPOCHS = 6;

interface CriticSizes {
  /** Bookings that each critic has learnt from. */
  readonly shown: number;
  /** Bookings that all three look at. */
  readonly merged: number;
  readonly heldOut: number;
}

type Says = (one: Own) => boolean;

export function criticsOn(bookings: readonly Own[], seed: number, { shown, merged, heldOut }: CriticSizes) {
  const rng = createRng(`critics ${seed}`);
  const all = shuffle(bookings, rng);
  const critics = Array.from({ length: CRITICS }, (_, at) => {
    const own = all.slice(at * shown, (at + 1) * shown).map((one) => ({ one, isWrong: !isRight(one) }));
    return wrongBy(learntFrom(own, `${seed} ${at}`));
  });
  const rest = all.slice(CRITICS * shown);
  const [test, many] = [rest.slice(0, heldOut), rest.slice(heldOut, heldOut + CRITICS * merged)];
  const few = many.slice(0, merged);
  const truth = test.map((one) => !isRight(one));
  const f1 = (says: Says): number => f1Of(test.map(says), truth);
  const majority: Says = (one) => critics.filter((critic) => critic(one)).length > CRITICS / 2;
  const single = critics.map(f1);
  const best = critics[single.indexOf(Math.max(...single))] as Says;
  const student = (lessons: readonly { readonly one: Own; readonly isWrong: boolean }[]): number =>
    f1(wrongBy(learntFrom(lessons, seed)));
  const by = (some: readonly Own[], critic: Says) => some.map((one) => ({ one, isWrong: critic(one) }));
  return {
    bookings: all.length,
    wrong: mean(truth.map(Number)),
    bestCritic: Math.max(...single),
    votes: f1(majority),
    // As many calls each: three for each of few bookings, one for each of many.
    merged: student(by(few, majority)),
    bestOne: student(by(many, best)),
    byLot: student(many.map((one) => ({ one, isWrong: (pick(critics, rng) as Says)(one) }))),
    unmerged: student(critics.flatMap((critic) => by(few, critic))),
    bestOneFew: student(by(few, best)),
  };
}

function learntFrom(
  lessons: readonly { readonly one: Own; readonly isWrong: boolean }[],
  seed: number | string,
): WordJudge {
  const judge = createWordJudge({ seed });
  judge.learn(
    lessons.map(({ one, isWrong }) => ({ text: plantedText(one), label: Number(!isWrong) })),
    EPOCHS,
  );
  return judge;
}

const wrongBy =
  (judge: WordJudge): Says =>
  (one) =>
    judge.chance(plantedText(one)) < 0.5;
