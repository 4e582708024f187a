import { describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { demonstrated, shareWon } from "../../../../test/support/demonstrated.ts";
import { createRng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { envContract } from "limbeck-core/env/env.contract";
import { createLedger, openDay } from "./ledger.ts";
import { ledger } from "./index.ts";
import type { Day } from "./day.ts";

envContract({ name: "ledger", env: createLedger({ level: "small" }), runner: { describe, test }, runs: tries(3, 8) });

const task: Task = { id: "t", env: "ledger", seed: 1, goal: "Book it.", split: "train" };
const day: Day = {
  morning: { cash: 100, bank: 300, stock: 0, sales: 0, costs: 0, debts: 0 },
  events: [
    { text: "Sold wool for 40, paid in cash.", from: "sales", to: "cash", amount: 40 },
    { text: "3 crates of salt came on credit, 12 a crate.", from: "debts", to: "stock", amount: 36 },
    { text: "The rent of 50 went from the bank.", from: "bank", to: "costs", amount: 50 },
    { text: "Took all the cash to the bank.", from: "cash", to: "bank", amount: undefined },
  ],
};

test("books and labels as worked out by hand; one error is blamed once", async () => {
  const episode = openDay(task, day, false);
  expect(episode.observation).toBe(
    "Book it.\nBooks: cash 100, bank 300, stock 0, sales 0, costs 0, debts 0.\nEvent 1 of 4: Sold wool for 40, paid in cash.",
  );
  // The wrong way round: 60 in cash, where 140 should be.
  const first = await episode.step("book 40 from cash to sales");
  expect(first).toMatchObject({ valid: true, reward: { value: 0 } });
  expect(first.info).toEqual({ parts: { booking: 0, accounts: 0, amount: 1 } });
  expect(first.observation).toContain("Books: cash 60, bank 300, stock 0, sales 40, costs 0, debts 0.");
  // The price of one crate.
  const second = await episode.step("book 12 from debts to stock");
  expect(second.info).toEqual({ parts: { booking: 0, accounts: 1, amount: 0 } });
  const third = await episode.step("book 50 from bank to costs");
  expect(third).toMatchObject({ reward: { value: 0.25 }, info: { parts: { booking: 1, accounts: 1, amount: 1 } } });
  // All the cash is what the books show, although an error made it so.
  const last = await episode.step("book 60 from cash to bank");
  expect(last).toMatchObject({ reward: { value: 0.25 }, ending: "terminated", success: false });
  expect(last.observation).toBe(
    "Books: cash 0, bank 310, stock 12, sales 40, costs 50, debts -12.\n2 of 4 bookings are right. Wrong: 1, 2.",
  );
  expect(scoreValue(episode.reward)).toBe(0.5);
});

test("what leaves one account comes to another: their sum stays", async () => {
  const { random } = ledger.demonstrators ?? {};
  for (const { results } of await demonstrated(createLedger({ level: "large" }), random, { count: 20 })) {
    const sums = results.map(({ observation }) => {
      const table = /Books: (.*)\.$/m.exec(observation)?.[1] ?? "";
      return (table.match(/-?\d+/g) ?? []).reduce((sum, text) => sum + Number(text), 0);
    });
    expect(new Set(sums).size).toBe(1);
  }
});

test("what is no booking changes nothing; too many of them end the day", async () => {
  const episode = openDay(task, day, false);
  const refused = ["book 40", "book -4 from cash to bank", "book 4 from cash to cash", "book 4 from till to bank"];
  for (const action of refused) {
    expect(await episode.step(action)).toMatchObject({ valid: false, reward: { value: 0 } });
    expect(episode.stateKey).toBe("100 300 0 0 0 0, right ");
  }
  for (let at = 0; at < 3; at += 1) await episode.step("book 40 from sales to cash");
  expect(episode.ending).toBeUndefined();
  expect(await episode.step("what?")).toMatchObject({ ending: "truncated", success: false });
  expect(episode.observation).toContain("1 of 4 bookings are right. Wrong: 2, 3. Not booked: 1.");
});

test("bookings are marked at once where that is asked for, and else never before the end", async () => {
  const told = async (areMarked: boolean): Promise<string[]> => {
    const episode = openDay(task, day, areMarked);
    const right = await episode.step("book 40 from sales to cash");
    const wrong = await episode.step("book 40 from sales to cash");
    return [right.observation, wrong.observation].map((text) => text.split("\n")[0] ?? "");
  };
  expect(await told(true)).toEqual(["That was right.", "That was wrong."]);
  expect((await told(false)).every((line) => line.startsWith("Books: "))).toBe(true);
});

test("the right booking is always among the listed ones", async () => {
  const env = createLedger({ level: "large" });
  const { expert } = ledger.demonstrators ?? {};
  for await (const one of env.tasks("test", { count: tries(10, 30) })) {
    const episode = await env.open(one);
    const demonstration = expert!.start(one, createRng(1));
    for (let action: string | undefined; episode.ending === undefined;) {
      action = demonstration.next({ action, observation: episode.observation });
      expect(episode.admissible()).toContain(action);
      await episode.step(action);
    }
    expect(episode.success).toBe(true);
  }
});

test.each(["small", "medium", "large"] as const)("%s: the expert is at 1, chance low", async (level) => {
  const env = createLedger({ level });
  const { expert, careless, random } = ledger.demonstrators ?? {};
  const best = await demonstrated(env, expert, { count: tries(50, 200) });
  expect(shareWon(best)).toBe(1);
  expect(mean(best.map(({ reward }) => reward))).toBeCloseTo(1, 9);
  expect(shareWon(await demonstrated(env, random))).toBeLessThan(0.05);
  const bookings = (await demonstrated(env, careless)).flatMap(({ results }) =>
    results.map(({ info }) => ((info?.["parts"] ?? {}) as { booking?: number }).booking ?? 0),
  );
  // One in four is wrong; 300 to 600 bookings stay within three deviations of 0.025.
  expect(mean(bookings)).toBeGreaterThan(0.67);
  expect(mean(bookings)).toBeLessThan(0.83);
});
