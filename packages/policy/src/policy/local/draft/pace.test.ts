import { expect, test } from "vitest";
import { DraftPolicy } from "./pace.ts";

/** One who guesses: how long it takes, what it hopes for, and what is said in truth. */
interface Simulated {
  readonly milliseconds: number;
  readonly hoped: (width: number) => number;
  readonly said: (width: number) => number;
}

interface Machine {
  /** A pass of one token takes 1; one of more tokens that much. */
  readonly cost: (width: number) => number;
  readonly making: number;
}

const shape = { rows: 2, slots: 64 };

/** Time for so many tokens with guesses, over the time without; and how often each guessed. */
function simulate(
  guessers: readonly Simulated[],
  { cost, making }: Machine,
  tokens: number,
): { readonly times: number; readonly plain: number; readonly time: number; readonly asked: readonly number[] } {
  const pace = new DraftPolicy(guessers.length);
  const made = new Set<number>();
  const asked = guessers.map(() => 0);
  // A first long read, and the program that both need.
  pace.read({ ...shape, width: 32, milliseconds: 4, making });
  let time = 4 + making;
  const plain = 4 + 2 * making + tokens;
  let said = 0;
  while (said < tokens) {
    const who = pace.choose(shape);
    const guesser = who === undefined ? undefined : (guessers[who] as Simulated);
    if (who !== undefined) asked[who] = (asked[who] as number) + 1;
    const width = guesser === undefined ? 1 : pace.width(shape, guesser.hoped);
    const pass = { ...shape, width, milliseconds: cost(width), making: made.has(width) ? 0 : making };
    made.add(width);
    const guessing = guesser?.milliseconds ?? 0;
    const now: number = width === 1 || guesser === undefined ? 1 : guesser.said(width);
    pace.decoded({ ...pass, drafter: who, drafting: guessing, worth: now });
    time += pass.milliseconds + pass.making + guessing;
    said += now;
  }
  return { times: plain / time, plain, time, asked };
}

const cheap = { cost: (width: number) => 1 + 0.05 * (width - 1), making: 40 };
const hopeful = (width: number): number => Math.min(width, 4);

test.each([
  [
    "guesses that are never right, whatever is hoped",
    { milliseconds: 0.05, hoped: hopeful, said: (): number => 1 },
    cheap,
  ],
  ["guesses that take as long as the model", { milliseconds: 1, hoped: hopeful, said: (): number => 1.5 }, cheap],
  ["nothing to guess", { milliseconds: 0.1, hoped: (): number => 1, said: (): number => 1 }, cheap],
  [
    "wide passes that cost what they say",
    { milliseconds: 0.02, hoped: hopeful, said: hopeful },
    { cost: (width: number) => width, making: 40 },
  ],
  [
    "programs that take long to make",
    { milliseconds: 0.05, hoped: hopeful, said: (): number => 1.2 },
    { ...cheap, making: 2_000 },
  ],
] as const)("%s cost at most 3 of 100 and one program", (_, guesser, machine) => {
  for (const tokens of [50, 500, 5_000]) {
    const { plain, time } = simulate([guesser], machine, tokens);
    expect(time - machine.making).toBeLessThan(plain / 0.97);
  }
});

test("guesses that are right are used, once their programs are worth making", () => {
  const right = { milliseconds: 0.05, hoped: hopeful, said: (width: number) => Math.min(width, 3) };
  expect(simulate([right], cheap, 1_000).times).toBeGreaterThan(1.3);
  // 3 tokens take 1.15 and 0.05.
  expect(simulate([right], cheap, 20_000).times).toBeGreaterThan(2.3);
  expect(simulate([right], cheap, 20_000).times).toBeLessThan(2.5);
});

test("who guesses better for its time guesses most", () => {
  const memory = { milliseconds: 0.02, hoped: (width: number) => Math.min(width, 1.6), said: () => 1.6 };
  const heads = { milliseconds: 0.3, hoped: hopeful, said: (width: number) => Math.min(width, 3) };
  const [first, second] = simulate([memory, heads], cheap, 20_000).asked as [number, number];
  expect(second).toBeGreaterThan(5 * first);
  const slow = { ...heads, milliseconds: 3 };
  const [third, fourth] = simulate([memory, slow], cheap, 20_000).asked as [number, number];
  expect(third).toBeGreaterThan(5 * fourth);
});

test("what stopped being right is left off, and looked at again", () => {
  let good = true;
  const changing = { milliseconds: 0.05, hoped: hopeful, said: () => (good ? 3 : 1) };
  const pace = new DraftPolicy();
  const asked = { good: 0, bad: 0, again: 0 };
  const made = new Set<number>();
  for (let pass = 0; pass < 9_000; pass += 1) {
    good = pass < 3_000 || pass >= 6_000;
    const who = pace.choose(shape);
    const width = who === undefined ? 1 : pace.width(shape, changing.hoped);
    if (width > 1) asked[pass < 3_000 ? "good" : pass < 6_000 ? "bad" : "again"] += 1;
    const making = made.has(width) ? 0 : 40;
    made.add(width);
    const said = width === 1 ? 1 : changing.said();
    pace.decoded({
      ...shape,
      width,
      milliseconds: cheap.cost(width),
      making,
      drafter: who,
      drafting: who === undefined ? 0 : 0.05,
      worth: said,
    });
  }
  expect(asked.good).toBeGreaterThan(500);
  expect(asked.bad).toBeLessThan(300);
  expect(asked.again).toBeGreaterThan(1_500);
});

test("where guesses pay, a shape that is new begins with the wide program, and the plain one is never made", () => {
  const pace = new DraftPolicy();
  const made = new Map<number, Set<number>>();
  const play = (slots: number, passes: number): void => {
    const widths = made.get(slots) ?? new Set<number>();
    made.set(slots, widths);
    for (let pass = 0; pass < passes; pass += 1) {
      const who = pace.choose({ rows: 2, slots });
      const width = who === undefined ? 1 : pace.width({ rows: 2, slots }, hopeful);
      const making = widths.has(width) ? 0 : 40;
      widths.add(width);
      const guessing = who === undefined ? 0 : 0.05;
      // A pass takes as long as there are slots, too.
      const milliseconds = cheap.cost(width) * (1 + slots / 64);
      pace.decoded({
        rows: 2,
        slots,
        width,
        milliseconds,
        making,
        drafter: who,
        drafting: guessing,
        worth: width === 1 ? 1 : 3,
      });
    }
  };
  play(64, 400);
  play(128, 50);
  play(256, 50);
  expect([...made.values()].map((widths) => [...widths])).toEqual([[1, 4], [4], [4]]);
});

/** The share of 6,000 passes of four rows that were drafted, where a draft saves that much of its pass, and each pass comes after so much reading. */
function drafted(saved: number, reading: number): number {
  const pace = new DraftPolicy();
  const four = { rows: 4, slots: 64 };
  const made = new Set<number>();
  let asked = 0;
  for (let pass = 0; pass < 6_000; pass += 1) {
    if (reading > 0) pace.read({ ...four, width: 32, milliseconds: reading, making: 0 });
    const drafter = pace.choose(four);
    const width = drafter === undefined ? 1 : pace.width(four, (wide) => Math.min(wide, 2));
    if (drafter !== undefined) asked += 1;
    const making = made.has(width) ? 0 : 10;
    made.add(width);
    pace.decoded({ ...four, width, milliseconds: 1, making, drafter, drafting: 0, worth: width === 1 ? 1 : 1 + saved });
  }
  return asked / 6_000;
}

test("drafts for several rows go on where they save a twentieth of all time", () => {
  expect(drafted(0.06, 0)).toBeGreaterThan(0.95);
  expect(drafted(0.18, 2)).toBeGreaterThan(0.95);
});

test("drafts for several rows that save less than that rest, and are tried again", () => {
  for (const share of [drafted(0.02, 0), drafted(0.06, 2), drafted(0, 0)]) {
    expect(share).toBeGreaterThan(0.02);
    expect(share).toBeLessThan(0.5);
  }
});
