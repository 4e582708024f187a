import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomWorld } from "../../../../test/support/table-world.ts";
import { scriptedAsker, searchTable, tableEnv, type SearchTable } from "../../../../test/support/table-search.ts";
import { wrapEnv, wrapEpisode } from "../env/wrap.ts";
import type { Episode } from "../env/env.ts";
import { createValue } from "./values/index.ts";
import { harmBeside } from "../walk/tree/search-tasks.ts";

/** A shop of three rooms: what is grabbed at the door is wrong, what is bought at the shelf is right. */
const shop: SearchTable = {
  moves: {
    door: { grab: "wrong", enter: "hall" },
    hall: { shelf: "shelf", leave: "door" },
    shelf: { buy: "right", leave: "hall" },
  },
  ends: { right: 1, wrong: 0 },
  maxSteps: 12,
  chances: { door: { enter: 0.6, grab: 0.4 }, hall: { shelf: 0.7, leave: 0.3 }, shelf: { buy: 0.8, leave: 0.2 } },
  final: ["grab", "buy"],
};

test("what cannot be undone waits until it is wanted most, and is done once", async () => {
  for (let seed = 0; seed < 12; seed += 1) {
    const result = await searchTable("weboperator", shop, { seed, settings: { candidates: 8 } });
    expect([result.success, result.irreversible, harmBeside(result)]).toEqual([true, 1, 0]);
  }
  // Others buy in every episode that they try.
  const many = await searchTable("best-of-n", shop, { settings: { n: 8, stop: false } });
  expect([many.irreversible, harmBeside(many)]).toEqual([8, 7]);
});

test("an action is worth the judge's score times how many proposals meant it", async () => {
  const table: SearchTable = {
    moves: { start: { left: "l0", right: "r0" }, l0: { on: "l1" }, r0: { on: "r1" } },
    ends: { l1: 0, r1: 0 },
    maxSteps: 4,
    chances: { start: { left: 0.2, right: 0.8 }, l0: { on: 1 }, r0: { on: 1 } },
  };
  const asked: string[] = [];
  const asker = scriptedAsker([
    [
      /How much nearer/,
      (prompt) => {
        const [, past, next] = /Actions: (.*?)\.\n[^]*Next would be: "(\w+)"/.exec(prompt) ?? [];
        asked.push(`${past}: ${next}`);
        return next === "left" ? "6" : "4";
      },
    ],
  ]);
  await searchTable("weboperator", table, { asker, settings: { candidates: 30 } });
  // About six times 0.6 against 24 times 0.4: right goes first. Each meaning is judged once.
  expect(asked.slice(0, 2).toSorted()).toEqual(["none: left", "none: right"]);
  expect(asked[2]).toBe("right: on");
});

test("no table, seed, budget or value makes it do harm beside its line", async () => {
  const numbers = fc.record({ seed: fc.nat({ max: 500 }), calls: fc.nat({ max: 60 }), plays: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(numbers, async ({ seed, calls, plays }) => {
      const { world } = randomWorld(seed);
      const chances = Object.fromEntries(
        Object.keys(world.moves).map((state) => [state, { left: 0.4, right: 0.4, up: 0.2 }]),
      );
      const result = await searchTable(
        "weboperator",
        { ...world, chances, final: ["up", "left"] },
        {
          seed,
          budget: { modelCalls: calls },
          ...(plays ? { value: createValue("monte-carlo") } : {}),
        },
      );
      expect(harmBeside(result)).toBe(0);
      expect(result.spent.modelCalls).toBeLessThanOrEqual(calls);
    }),
    { numRuns: 40 },
  );
});

test("a policy that is not sure, or a judge that says no, does nothing for good", async () => {
  const unsure = { ...shop, chances: { ...shop.chances, shelf: { buy: 0.2, leave: 0.8 } } };
  const result = await searchTable("weboperator", unsure, {
    settings: { confirm: 3, certainty: 0.9 },
  });
  expect(result.irreversible).toBe(0);
  const asker = scriptedAsker([[/Is it right to do it now/, (prompt) => (prompt.includes("buy") ? "Yes." : "no")]]);
  const asked = await searchTable("weboperator", shop, { asker, settings: { confirm: 3 } });
  expect([asked.success, asked.actions.at(-1)]).toEqual([true, "buy"]);
  const never = await searchTable("weboperator", shop, {
    asker: scriptedAsker([[/Is it right/, () => "No, yes would be wrong."]]),
    settings: { confirm: 3 },
  });
  expect(never.irreversible).toBe(0);
});

describe("going back", () => {
  test("is verified: where a replay shows something else, what was learned there is dropped", async () => {
    let dropped = 0;
    for (let seed = 0; seed < 8; seed += 1) {
      let opened = 0;
      const shifting = wrapEnv(tableEnv(shop), (episode) => shown(episode, (opened += 1)));
      const settings = { candidates: 8, confirm: 3, certainty: 1 };
      const result = await searchTable("weboperator", shop, { env: shifting, settings, seed });
      dropped += result.dropped;
      expect(harmBeside(result)).toBe(0);
    }
    expect(dropped).toBeGreaterThan(0);
  });

  test("costs steps that are booked, and none when it is not verified", async () => {
    const slow = { ...shop, chances: { ...shop.chances, shelf: { buy: 0.4, leave: 0.6 } } };
    const steps = async (verify: boolean): Promise<number> => {
      const { spent, nodes } = await searchTable("weboperator", slow, {
        settings: { verify, confirm: 3, certainty: 1 },
      });
      return spent.envSteps - nodes;
    };
    expect(await steps(false)).toBe(0);
    expect(await steps(true)).toBeGreaterThan(0);
  });
});

/** The hall looks different every time the world is opened. */
function shown(inner: Episode, opened: number): Episode {
  const text = (observation: string): string => (observation === "at hall" ? `${opened} doors, at hall` : observation);
  return wrapEpisode(inner, {
    get observation() {
      return text(inner.observation);
    },
    step: async (action, options) => {
      const result = await inner.step(action, options);
      return { ...result, observation: text(result.observation) };
    },
    fork: async () => shown(await inner.fork(), opened),
  });
}
