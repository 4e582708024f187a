import fc from "fast-check";
import { expect, test } from "vitest";
import { createPurse, type Purse } from "./purse.ts";

const still = (): number => 0;

test("a reservation is held until it is settled, and only what was used is spent", () => {
  const account = createPurse({ sampledTokens: 10 }, still);
  expect(account.reserve("sampledTokens", 7)).toBe(7);
  expect(account.left("sampledTokens")).toBe(3);
  expect(account.reserve("sampledTokens", 7)).toBe(3);
  account.settle("sampledTokens", 7, 2);
  account.settle("sampledTokens", 3, 3);
  expect(account.spent).toEqual({
    envSteps: 0,
    sampledTokens: 5,
    tokens: 0,
    reusedTokens: 0,
    modelCalls: 0,
    usd: 0,
    seconds: 0,
  });
  expect(account.left("sampledTokens")).toBe(5);
  expect(account.left("envSteps")).toBe(Infinity);
});

test("purses are handed out in the order of asking; the last gets what is left", async () => {
  const account = createPurse({ envSteps: 10 }, still);
  const granted: string[] = [];
  const ask = (name: string): Promise<Purse> =>
    account.draw({ envSteps: 6 }).then((purse) => {
      granted.push(`${name} ${purse.left("envSteps")}`);
      return purse;
    });
  const [first, second, third] = [ask("first"), ask("second"), ask("third")];
  const one = await first;
  expect(granted).toEqual(["first 6"]);
  one.settle("envSteps", one.reserve("envSteps", 6), 6);
  one.close();
  // 10 - 6 = 4 are left, fewer than the 6 that were asked for, and nobody else is out.
  const two = await second;
  expect(granted).toEqual(["first 6", "second 4"]);
  two.settle("envSteps", two.reserve("envSteps", 1), 1);
  two.close();
  await third;
  expect(granted).toEqual(["first 6", "second 4", "third 3"]);
  expect(account.spent.envSteps).toBe(7);
});

test("a closed purse spends from its parent's", async () => {
  const account = createPurse({ envSteps: 5 }, still);
  const purse = await account.draw({ envSteps: 2 });
  purse.close();
  expect(purse.left("envSteps")).toBe(5);
  purse.settle("envSteps", purse.reserve("envSteps", 4), 4);
  expect(account.left("envSteps")).toBe(1);
});

test("time that is up grants nothing", () => {
  let now = 0;
  const account = createPurse({ seconds: 2 }, () => now);
  expect(account.reserve("envSteps", 1)).toBe(1);
  now = 2_000;
  expect(account.reserve("envSteps", 1)).toBe(0);
  expect(account.left("seconds")).toBe(0);
});

test("a limit below 0 or of an unknown kind is refused", () => {
  expect(() => createPurse({ envSteps: -1 }, still)).toThrow("The limit of envSteps is -1");
  expect(() => createPurse({ envSteps: Number.NaN }, still)).toThrow("must be a number of at least 0");
  expect(() => createPurse({ money: 1 } as never, still)).toThrow('No limit "money"');
});

test("whatever is reserved, settled and drawn, a limit is never passed", async () => {
  const deed = fc.record({ ask: fc.nat(8), use: fc.nat(8), child: fc.boolean() }, { noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(fc.nat(40), fc.array(deed, { maxLength: 30 }), async (limit, deeds) => {
      const account = createPurse({ modelCalls: limit }, still);
      for (const { ask, use, child } of deeds) {
        const purse = child ? await account.draw({ modelCalls: ask }) : account;
        const reserved = purse.reserve("modelCalls", ask);
        purse.settle("modelCalls", reserved, Math.min(use, reserved));
        purse.close();
        expect(account.spent.modelCalls).toBeLessThanOrEqual(limit);
        expect(account.spent.modelCalls + account.left("modelCalls")).toBe(limit);
      }
    }),
  );
});
