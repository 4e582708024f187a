import { describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { creditContract } from "./credit.contract.ts";
import type { CreditMethod } from "./credit.ts";
import { allCredits } from "./registry.ts";

// Few batches for each promise, since there are many methods and each tries its options too.
for (const [name, credit] of Object.entries<CreditMethod>(allCredits))
  creditContract({ name, credit, runner: { describe, test }, runs: tries(2, 6) });

/** What the suite says of a method: the title of each promise it breaks, with the message. Laws that are not declared have their own number of runs. */
async function faults(credit: CreditMethod, runs = 10): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const tests: Promise<unknown>[] = [];
  creditContract({
    name: "wrong",
    credit,
    runs,
    runner: {
      describe: (_, body) => body(),
      test: (title, body) => tests.push(body().catch((error: Error) => found.set(title, error.message))),
    },
  });
  await Promise.all(tests);
  return found;
}

test("a method that breaks a promise is found", async () => {
  const found = await faults({
    ...allCredits.grpo,
    // The position in the batch is nobody's merit.
    compute: ({ rows }) => ({ terms: { place: { weight: 1, perRow: Float64Array.from(rows, (_, at) => at) } } }),
  });
  expect(found.has("shuffling rows shuffles the result and nothing else")).toBe(true);
  expect(found.has("advantages of a task add up to 0")).toBe(true);
});

test("a method that declares more than what holds is found", async () => {
  const laws = { shift: true, scale: "proportional", zeroSum: true } as const;
  expect([...(await faults({ ...allCredits["pf-ppo"], laws })).keys()]).toEqual([
    "outcomes all higher by a constant change nothing",
    "rewards all larger by a factor: advantages grow by it",
    "advantages of a task add up to 0",
  ]);
});

const undeclared = "not declared, and does not hold: ";
const nothing = { shift: false, scale: "neither", zeroSum: false } as const;

test("a method that declares less than what holds is told what to declare", async () => {
  const normed = await faults({ ...allCredits.grpo, laws: nothing }, 2);
  expect([...normed.keys()]).toEqual([
    `${undeclared}outcomes all higher by a constant change nothing`,
    `${undeclared}rewards all larger by a factor: advantages stay the same`,
    `${undeclared}advantages of a task add up to 0`,
  ]);
  expect(normed.get(`${undeclared}outcomes all higher by a constant change nothing`)).toContain(
    "its laws do not say `shift: true`, but that holds on each of 100 random batches. Declare it",
  );
});

test("which of two laws of scale holds is told too", async () => {
  const centred = await faults({ ...allCredits["dr-grpo"], laws: nothing }, 2);
  expect(centred.get(`${undeclared}rewards all larger by a factor: advantages grow by it`)).toContain(
    '`scale: "proportional"`',
  );
});
