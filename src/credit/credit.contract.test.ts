import { describe, expect, test } from "vitest";
import { creditContract } from "./credit.contract.ts";
import type { CreditMethod } from "./credit.ts";
import { allCredits } from "./registry.ts";

// Few batches for each promise, since there are many methods and each tries its options too.
for (const [name, credit] of Object.entries<CreditMethod>(allCredits))
  creditContract({ name, credit, runner: { describe, test }, runs: 6 });

test("a method that breaks a promise is found", async () => {
  const found: string[] = [];
  const wrong: CreditMethod = {
    ...allCredits.grpo,
    // The position in the batch is nobody's merit.
    compute: ({ rows }) => ({ terms: { place: { weight: 1, perRow: Float64Array.from(rows, (_, at) => at) } } }),
  };
  const tests: Promise<void>[] = [];
  creditContract({
    name: "wrong",
    credit: wrong,
    runner: {
      describe: (_, body) => body(),
      test: (title, body) => {
        tests.push(body().catch(() => void found.push(title)));
      },
    },
  });
  await Promise.all(tests);
  expect(found).toContain("shuffling rows shuffles the result and nothing else");
  expect(found).toContain("advantages of a task add up to 0");
});
