import { describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { dials, type DialName } from "./dial.ts";
import { familyIds, familyOf } from "./families.ts";
import { createGenerator, gameFile, splitIds, splitOf, type HouseholdGame } from "./generate.ts";
import { shuttingKinds } from "./things.ts";

const names = Object.keys(dials) as DialName[];

describe.each(names)("games of the dial %s", (dial) => {
  const generator = createGenerator({ dial });
  const games = Array.from({ length: tries(90, 300) }, (_, index) => generator.game("train", index));

  test("keep to the sizes of the dial", () => {
    for (const { house } of games) {
      const [least, , most] = generator.dial.receptacles[house.errand.room];
      expect(house.fixtures.length).toBeGreaterThanOrEqual(least);
      expect(house.fixtures.length).toBeLessThanOrEqual(most);
      const others = house.items.filter(({ kind }) => kind !== house.errand.thing && !kind.lamp).length;
      expect(others).toBeLessThanOrEqual(generator.dial.distractors[house.errand.room][2]);
    }
  });

  test("come in all six families by turns", () => {
    expect(games.slice(0, 12).map(({ family }) => family)).toEqual([...familyIds, ...familyIds]);
  });

  test("have a walkthrough within the horizon", () => {
    expect(Math.max(...games.map(({ walkthrough }) => walkthrough.length))).toBeLessThanOrEqual(generator.dial.horizon);
  });

  test("are never solved from the start", () => {
    for (const { house, family } of games) {
      if (familyOf(family).treatment !== undefined) continue;
      const there = house.items.filter(
        ({ kind, fixture }) => kind === house.errand.thing && fixture.kind === house.errand.target,
      );
      expect(there).toEqual([]);
    }
  });

  test("shut only what has a door", () => {
    const shut = games.flatMap(({ house }) => house.fixtures.filter((fixture) => fixture.shut));
    expect(shut.every(({ kind }) => shuttingKinds.has(kind))).toBe(true);
    expect(shut.length).toBeGreaterThan(0);
  });

  test("ask in both sentence shapes about equally often", () => {
    // 300 fair coins: 150 expected, standard deviation sqrt(300 / 4) = 8.7; 4.6 of them are 40, and 21.8 of 90 coins.
    const [half, apart] = [games.length / 2, 4.6 * Math.sqrt(games.length / 4)];
    const firstShape = games.filter((game) => game.goal === sentence(game)).length;
    expect(firstShape).toBeGreaterThan(half - apart);
    expect(firstShape).toBeLessThan(half + apart);
  });
});

function sentence({ family, house }: HouseholdGame): string {
  const target = house.errand.target ?? "desklamp";
  return familyOf(family).sentences[0](house.errand.thing.id.toLowerCase(), target.toLowerCase());
}

test("the same settings, split, seed and index give the same file, in whatever order they are asked for", () => {
  const one = createGenerator({ dial: "small", seed: 7 });
  const other = createGenerator({ dial: "small", seed: 7 });
  const late = gameFile(other.game("valid", 41), "game");
  other.game("valid", 3);
  expect(gameFile(one.game("valid", 41), "game")).toEqual(late);
});

test("another seed or split gives another game", () => {
  const text = (seed: number, split: "train" | "test"): string =>
    gameFile(createGenerator({ dial: "small", seed }).game(split, 0), "game").pddl_problem;
  expect(new Set([text(1, "train"), text(2, "train"), text(1, "test")]).size).toBe(3);
});

test("splits are disjoint: every situation names its own, over dials and seeds", () => {
  const each = tries(30, 90);
  const found = { train: new Set<string>(), valid: new Set<string>(), test: new Set<string>() };
  for (const dial of names) {
    for (const seed of [0, 1]) {
      const generator = createGenerator({ dial, seed });
      for (const split of splitIds) {
        for (let index = 0; index < each; index += 1) found[split].add(generator.game(split, index).situation);
      }
    }
  }
  for (const split of splitIds) {
    expect([...found[split]].filter((situation) => splitOf(situation) !== split)).toEqual([]);
    // 4 dials x 2 seeds x 90 games = 720; most must be different for the test to mean anything.
    expect(found[split].size).toBeGreaterThan((500 / 720) * 8 * each);
  }
  const all = new Set([...found.train, ...found.valid, ...found.test]);
  expect(all.size).toBe(found.train.size + found.valid.size + found.test.size);
});

test("situations spread over the splits as promised", () => {
  // 20,000 situations: 16,000 for training, 2,000 each for the others; standard deviation sqrt(20000 * 0.1 * 0.9) = 42.
  const counts = { train: 0, valid: 0, test: 0 };
  for (let index = 0; index < 20_000; index += 1) counts[splitOf(`situation ${index}`)] += 1;
  expect(Math.abs(counts.valid - 2_000)).toBeLessThan(200);
  expect(Math.abs(counts.test - 2_000)).toBeLessThan(200);
});

test.each([
  [
    { families: ["look_at_obj_in_light"], dial: { rooms: ["kitchen"] } },
    /family look_at_obj_in_light .* kitchen: it needs a desk lamp/,
  ],
  [{ families: ["pick_heat_then_place_in_recep"], dial: { rooms: ["bedroom", "bathroom"] } }, /needs a microwave/],
  [{ families: ["pick_cool_then_place_in_recep"], dial: { rooms: ["livingroom"] } }, /needs a fridge/],
  [{ families: ["pick_clean_then_place_in_recep"], dial: { rooms: ["bedroom"] } }, /needs a sink/],
  [{ families: ["pick_and_place"] }, /No household family "pick_and_place"/],
  [{ families: [] }, /give a list of some of/],
  [{ seed: 0.5 }, /seed 0\.5 is not a whole number/],
  [{ horizon: 0 }, /setting horizon is 0/],
])("refuses %j at once", (options, message) => {
  expect(() => createGenerator(options)).toThrow(message);
});

test("says so when no game fits the horizon or the room", () => {
  const short = createGenerator({ dial: "tiny", horizon: 3, families: ["pick_heat_then_place_in_recep"] });
  expect(() => short.game("train", 0)).toThrow(
    /No game of family pick_heat.* 3 steps\)\. Raise horizon or receptacles/,
  );
  const bare = createGenerator({ dial: { receptacles: 1 } });
  expect(() => bare.game("train", 0)).toThrow(/at most 1 receptacles/);
});
