import { describe, expect, test } from "vitest";
import { testGoal, testProduct } from "../../../../test/support/shop.ts";
import { NO_CAP, type Goal } from "./goal.ts";
import { loadNounTagger } from "./nouns.ts";
import type { Product } from "./product.ts";
import { scorePurchase, type Purchase } from "./reward.ts";

// Every word of a title is a noun here, so that overlaps can be counted by eye. The wanted product is the fixture:
// nouns oak, desk, lamp; attributes dimmable light, touch control, energy saving; price 40; path Home, Lighting, Desk
// Lamps. The goal asks for 2 attributes, 2 options and a price of at most 50, so a score has 2 + 2 + 1 = 5 parts.
const everyWord = (title: string): string[] => title.toLowerCase().split(" ");

interface Case {
  readonly what: string;
  readonly bought?: Partial<Product>;
  readonly wanted?: Partial<Product>;
  readonly goal?: Partial<Goal>;
  readonly chosen?: readonly string[];
  readonly expected: Partial<Purchase>;
}

const BOTH = ["black", "tall"];
const plain = (...values: string[]): Partial<Goal> => ({ options: values.map((value) => ({ value })) });

const PRICE: readonly Case[] = [
  // (2 + 2 + 1) / 5
  { what: "the wanted product, all options", expected: { score: 1, attributes: 2, options: 2, price: 1, type: 1 } },
  { what: "a price equal to the cap", bought: { price: 50 }, expected: { price: 1, score: 1 } },
  // (2 + 2 + 0) / 5
  { what: "a price one cent above the cap", bought: { price: 50.01 }, expected: { price: 0, score: 0.8 } },
  { what: "any price without a cap", bought: { price: 5_000 }, goal: { priceCap: NO_CAP }, expected: { score: 1 } },
  // (2 + 0 + 1) / (2 + 0 + 1)
  { what: "a goal without options", goal: { options: [] }, chosen: [], expected: { options: 0, score: 1 } },
];

const ATTRIBUTES: readonly Case[] = [
  // (1 + 2 + 1) / 5
  { what: "one attribute of two", bought: { attributes: ["dimmable light"] }, expected: { attributes: 1, score: 0.8 } },
  // (0 + 2 + 1) / 5
  { what: "no attribute", bought: { attributes: ["rust proof"] }, expected: { attributes: 0, score: 0.6 } },
  // The same set of words: ratio 100.
  {
    what: "words in another order",
    bought: { attributes: ["light dimmable", "control touch"] },
    expected: { score: 1 },
  },
  // One has all words of the other: 100.
  {
    what: "an attribute within a longer one",
    bought: { attributes: ["fully dimmable light", "touch control"] },
    expected: { score: 1 },
  },
  // "dimmable lights" 15, "dimmable light" 14, common 14: round(100 * 28 / 29) = 97.
  { what: "a plural", bought: { attributes: ["dimmable lights", "touch control"] }, expected: { attributes: 2 } },
  // 20 and 20 letters, 17 common: 100 * 34 / 40 = 85, and 85 is not above 85. (0 + 2 + 1) / 4
  {
    what: "a ratio of exactly 85",
    bought: { attributes: ["abcdefghijklmnopqrst"] },
    goal: { attributes: ["abcdefghijklmnopqxyz"] },
    expected: { attributes: 0, score: 0.75 },
  },
  // 21 and 21 letters, 18 common: 100 * 36 / 42 = 85.7, rounded 86. (1 + 2 + 1) / 4
  {
    what: "a ratio of 86",
    bought: { attributes: ["abcdefghijklmnopqrstu"] },
    goal: { attributes: ["abcdefghijklmnopqrxyz"] },
    expected: { attributes: 1, score: 1 },
  },
  {
    what: "attributes in the title",
    bought: { attributes: [], title: "Oak Desk Lamp Dimmable Light Touch Control" },
    expected: { attributes: 2, score: 1 },
  },
  // Bullets are joined by a blank before the search: "... touch" + " " + "control ..."
  {
    what: "an attribute over two bullets",
    bought: { attributes: ["dimmable light"], bullets: ["One touch", "Control by app"] },
    expected: { attributes: 2 },
  },
  {
    what: "capitals in the description",
    bought: { attributes: [], description: "TOUCH CONTROL. DIMMABLE LIGHT." },
    expected: { attributes: 2 },
  },
];

const OPTIONS: readonly Case[] = [
  // (2 + 0 + 1) / 5 and (2 + 1 + 1) / 5
  { what: "no option chosen", chosen: [], expected: { options: 0, score: 0.6 } },
  { what: "one option of two", chosen: ["tall"], expected: { options: 1, score: 0.8 } },
  { what: "the wrong colour", chosen: ["white", "tall"], expected: { options: 1, score: 0.8 } },
  // Against "size tall": shared "tall"; "tall one" 8, "tall size" 9, common "tall " and "e" 6: 100 * 12 / 17 = 71.
  // "tall" against "tall one": 100 * 8 / 12 = 67.
  { what: "a value with a word too many", chosen: ["black", "tall one"], expected: { options: 1 } },
  { what: "a value that holds name and value", chosen: ["black", "size tall"], expected: { options: 2 } },
  // The goal's text is "size tall", and "size" is a subset of it: 100. A quirk of the original.
  { what: "the name of a pair as value", chosen: ["black", "size"], expected: { options: 2 } },
  // The pair (color, black) has the member "black" and becomes "black"; "matte black" becomes "black".
  { what: "another shade of the colour", chosen: ["matte black", "tall"], expected: { options: 2 } },
  // "color navy blue" stays, being no colour itself; "royal blue" becomes "blue", one of its words.
  {
    what: "a pair with a shade",
    goal: { options: [{ name: "color", value: "navy blue" }] },
    chosen: ["royal blue"],
    expected: { options: 1, score: 1 },
  },
  // The pair (color, red) becomes "red", so here the name alone is not enough: "color" against "red", no word shared,
  // common subsequence "r": 100 * 2 / 8 = 25.
  {
    what: "the name of a reduced pair",
    goal: { options: [{ name: "color", value: "red" }] },
    chosen: ["color"],
    expected: { options: 0 },
  },
  // "sandalwood" holds "sand". "sand" against "scent sandalwood" (16): "sand" + 12 more; 100 * 8 / 20 = 40.
  {
    what: "a colour hidden in a scent, as a pair",
    goal: { options: [{ name: "scent", value: "sandalwood" }] },
    chosen: ["sandalwood"],
    expected: { options: 0, score: 0.75 },
  },
  // As plain strings both become "sand".
  {
    what: "a colour hidden in a scent, as plain text",
    goal: plain("sandalwood"),
    chosen: ["sandalwood"],
    expected: { options: 1, score: 1 },
  },
  // "navy blue" and "royal blue" both become "blue".
  { what: "two shades as plain text", goal: plain("navy blue"), chosen: ["royal blue"], expected: { options: 1 } },
  // "light blue" becomes "blue", for "blue" stands before "light" in the list; so both wishes are "blue".
  { what: "one choice for two wishes", goal: plain("blue", "light blue"), chosen: ["blue"], expected: { options: 2 } },
  // Nothing is left of it without the characters outside ASCII, and nothing is like nothing.
  { what: "a value in another script", goal: plain("红色"), chosen: ["红色"], expected: { options: 0 } },
];

const other = { query: "table lamp", productCategory: "Office › Furniture" };
const ten = "oak desk lamp one two three four five six seven";

const TYPE: readonly Case[] = [
  // desk and lamp of oak, desk, lamp: 2 / 3
  {
    what: "another query, titles alike",
    bought: { ...other, title: "pine desk lamp" },
    expected: { titleOverlap: 2 / 3, type: 1 },
  },
  // lamp of 5: 0.2 is not above 0.2, one department (Home) is not two. 0.5 * 5 / 5
  {
    what: "an overlap of 0.2 and one department",
    bought: { ...other, productCategory: "Home › Toys", title: "lamp" },
    wanted: { title: "oak desk lamp white small" },
    expected: { type: 0.5, score: 0.5 },
  },
  // lamp of 4: 0.25
  {
    what: "an overlap of 0.25",
    bought: { ...other, title: "lamp" },
    wanted: { title: "oak desk lamp white" },
    expected: { type: 1, score: 1 },
  },
  // lamp of 5 again, but Lighting and Home are shared, in another order and with other blanks
  {
    what: "two departments",
    bought: { query: "x", productCategory: "Lighting›Home › Toys", title: "lamp" },
    wanted: { title: "oak desk lamp white small" },
    expected: { type: 1 },
  },
  // lamp of 6: 0.167; the query is the same
  {
    what: "the same query",
    bought: { productCategory: "Toys", title: "lamp" },
    wanted: { title: "oak desk lamp white small new" },
    expected: { type: 1 },
  },
  // lamp of 10: 0.1 is not below 0.1. 0.5 * (2 + 0 + 1) / 5
  {
    what: "an overlap of 0.1",
    bought: { ...other, title: "lamp" },
    wanted: { title: ten },
    chosen: [],
    expected: { type: 0.5, score: 0.3 },
  },
  // lamp of 11: 0.091, and the same query does not help. 0.1 * 5 / 5
  {
    what: "an overlap below 0.1",
    bought: { title: "lamp" },
    wanted: { title: `${ten} eight` },
    expected: { type: 0.1, score: 0.1 },
  },
  { what: "no shared noun at all", bought: { title: "chair" }, expected: { titleOverlap: 0, type: 0, score: 0 } },
  // "lamp" five times is five nouns below the line and one above it: 0.2
  {
    what: "a title that repeats itself",
    bought: { ...other, title: "lamp" },
    wanted: { title: "lamp lamp lamp lamp lamp" },
    expected: { titleOverlap: 0.2, type: 0.5 },
  },
];

describe.each([
  ["price", PRICE],
  ["attributes", ATTRIBUTES],
  ["options", OPTIONS],
  ["type", TYPE],
] as const)("the %s term", (_, cases) => {
  test.each(cases)("$what", ({ bought, wanted, goal, chosen = BOTH, expected }) => {
    const purchase = scorePurchase(testProduct(bought), chosen, testGoal(goal), testProduct(wanted), everyWord);
    // Twelve digits: a score is a quotient of small numbers.
    const rounded = (value: number): number => Number(value.toFixed(12));
    const named = Object.keys(expected) as (keyof Purchase)[];
    expect(Object.fromEntries(named.map((term) => [term, rounded(purchase[term])]))).toEqual(
      Object.fromEntries(named.map((term) => [term, rounded(expected[term] ?? Number.NaN)])),
    );
  });
});

test("the table is long enough", () => {
  expect(PRICE.length + ATTRIBUTES.length + OPTIONS.length + TYPE.length).toBeGreaterThanOrEqual(30);
});

test("a wanted title without nouns counts as an overlap of 0.2", () => {
  const none = (): string[] => [];
  // Same query: 1. Another query and no departments in common: 0.2 is not above 0.2, so 0.5.
  expect(scorePurchase(testProduct(), BOTH, testGoal(), testProduct(), none).score).toBe(1);
  expect(scorePurchase(testProduct(other), BOTH, testGoal(), testProduct(), none).score).toBe(0.5);
});

test("the tagger finds nouns and leaves the rest", async () => {
  const nouns = await loadNounTagger();
  expect(nouns("Steel Water Bottle")).toEqual(["steel", "water", "bottle"]);
  expect(nouns("quickly and softly")).toEqual([]);
});
