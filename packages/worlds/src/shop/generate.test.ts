import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { reduceColour, reduceColourPair, tokenSetRatio, scorePurchase } from "./reward.ts";
import { generateCatalogue, generateGoals, shopWords } from "./generate.ts";
import { drawPriceCap, NO_CAP, optionClause, priceClause } from "./goal.ts";
import { priceTag } from "./product.ts";
import { splitGoals, SPLITS } from "./shop.ts";

const catalogue = generateCatalogue({ products: 600, seed: 7 });
const goals = generateGoals(catalogue, { seed: 7, goalsPerProduct: 3 });

describe("the catalogue", () => {
  test("follows from its seed, and a smaller one is the beginning of a larger one", () => {
    expect(generateCatalogue({ products: 50, seed: 7 }).products).toEqual(catalogue.products.slice(0, 50));
    expect(generateCatalogue({ products: 50, seed: 8 }).products[0]).not.toEqual(catalogue.products[0]);
  });

  test("covers five categories with unique ids of ten characters", () => {
    expect(new Set(catalogue.products.map(({ category }) => category)).size).toBe(5);
    for (const { asin } of catalogue.products) expect(asin).toMatch(/^B0[0-9A-Z]{8}$/);
    expect(catalogue.byLabel.size).toBe(600);
  });

  test("tells every attribute on the feature page, and every attribute in what the search sees", () => {
    const untold = catalogue.products.filter(({ attributes, bullets, description }) => {
      const features = bullets.join(" ").toLowerCase();
      const indexed = `${description} ${bullets[0]}`.toLowerCase();
      return attributes.length !== 5 || !attributes.every((one) => features.includes(one) && indexed.includes(one));
    });
    expect(untold).toEqual([]);
  });

  test("holds near-duplicates: the same thing of the same brand with other attributes", () => {
    const twins = catalogue.products.filter((product, at) => {
      const next = catalogue.products[at + 1];
      const shared = next?.attributes.filter((attribute) => product.attributes.includes(attribute)).length ?? 0;
      return next?.query === product.query && shared >= 3 && shared < 5;
    });
    expect(twins.length).toBeGreaterThan(200);
  });

  test.each([0, -1, 1.5, Number.NaN])("refuses a size of %d", (products) => {
    expect(() => generateCatalogue({ products, seed: 1 })).toThrow(/whole number of at least 1/);
  });
});

test("every option value of the stock can earn its point, as a pair and as plain text", () => {
  for (const { name, values } of shopWords().stock.flatMap(({ types }) => types.flatMap(({ options }) => options))) {
    const lost = values.filter((value) => tokenSetRatio(reduceColour(value), reduceColourPair(name, value)) <= 85);
    expect(lost).toEqual([]);
  }
});

test("prices are shown as the original prints floats", () => {
  expect([priceTag(100), priceTag(12.5), priceTag(10, 12.99)]).toEqual(["$100.0", "$12.5", "$10.0 to $12.99"]);
});

describe("price caps", () => {
  // Above 34.99 the first four are 40, 50, 60, 70; the larger of two different ones is 50, 60 or 70.
  // Above 40 they begin at 50, since 40 is not above 40. Above 970: 980 and 990. Above 980 only 990 is left: no cap.
  test.each([
    [34.99, [50, 60, 70]],
    [40, [60, 70, 80]],
    [970, [990]],
    [980, [NO_CAP]],
    [2_000, [NO_CAP]],
  ])("for %d dollars", (price, possible) => {
    const rng = createRng(1);
    const drawn = new Set(Array.from({ length: 200 }, () => drawPriceCap(price, rng)));
    expect([...drawn].sort((left, right) => left - right)).toEqual(possible);
  });

  test("the clauses of an instruction", () => {
    const options = [
      { name: "color", value: "red" },
      { name: "size", value: "10" },
    ];
    expect(optionClause(options) + priceClause(50)).toBe(
      " with color: red, and size: 10, and price lower than 50.00 dollars",
    );
    expect(optionClause([]) + priceClause(NO_CAP)).toBe("");
  });
});

describe("goals", () => {
  test("are all within reach: their own product with the options asked for scores 1", () => {
    const nouns = (title: string): string[] => title.split(" ");
    const lost = goals.filter((goal) => {
      const product = catalogue.products[goal.product]!;
      const chosen = goal.options.map(({ value }) => value);
      const named = [...goal.attributes, ...chosen, product.query].every((text) => goal.instruction.includes(text));
      return !named || scorePurchase(product, chosen, goal, product, nouns).score !== 1;
    });
    expect(lost).toEqual([]);
  });

  test("come in both kinds, and no two have the same words", () => {
    const synthetic = goals.filter(({ options }) => options.some(({ name }) => name !== undefined)).length;
    expect(synthetic / goals.length).toBeGreaterThan(0.4);
    expect(synthetic / goals.length).toBeLessThan(0.6);
    expect(new Set(goals.map(({ instruction }) => instruction)).size).toBe(goals.length);
  });
});

describe("splits", () => {
  test("are disjoint in goals, in products and in words, and together hold every goal once", () => {
    const splits = splitGoals(goals);
    const all = SPLITS.flatMap((split) => [...splits[split]]);
    expect(all.toSorted((left, right) => left - right)).toEqual(goals.map((_, at) => at));
    const products = SPLITS.map((split) => new Set(Array.from(splits[split], (at) => goals[at]!.product)));
    expect(products.reduce((sum, set) => sum + set.size, 0)).toBe(catalogue.products.length);
    // 600 products: 60 for test, 60 for valid, three goals each (less the few that repeat words).
    expect(products.map((set) => set.size)).toEqual([480, 60, 60]);
  });

  test("do not depend on who asks: one permutation, the same every time", () => {
    expect(splitGoals(goals)).toEqual(splitGoals([...goals]));
  });

  test("every number of products gives train at least one", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { minLength: 1, maxLength: 60 }), (owners) => {
        const some = owners.map((product) => ({ ...goals[0]!, product }));
        const { train, valid, test: held } = splitGoals(some);
        expect(train.length).toBeGreaterThan(0);
        expect(train.length + valid.length + held.length).toBe(some.length);
        // From three products on, no split is empty.
        const isFull = Math.min(valid.length, held.length) > 0;
        expect(isFull).toBe(new Set(owners).size >= 3);
      }),
    );
  });
});
