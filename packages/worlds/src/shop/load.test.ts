import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateCatalogue, writeShop } from "./generate.ts";
import { shop } from "./index.ts";
import { loadShop, type LoadedShop } from "./load.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-shop-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const ROW = {
  asin: "B0ABCDEF01",
  name: "Walnut Side Table",
  full_description: "Stands \u0000 firm.",
  small_description: ["Solid walnut", "Two drawers"],
  category: "garden",
  query: " Side Table ",
  product_category: "Home › Furniture › Tables",
  pricing: "$1,059.99",
  customization_options: {
    Color: [{ value: " Natural/Oiled " }, { value: "Black" }],
    Size: [{ value: "Small" }],
    Extra: null,
  },
};
const ASKED = {
  attributes: ["solid wood"],
  instruction: "Find me solid wood tables",
  instruction_attributes: ["solid wood"],
};

async function load(rows: unknown, instructions: unknown, human?: unknown): Promise<LoadedShop> {
  const items = await file("items.json", rows);
  const attributes = await file("instructions.json", instructions);
  const people = human === undefined ? {} : { human: await file("human.json", human) };
  return loadShop({ items, instructions: attributes, seed: 3, ...people });
}

test("a row of the official file becomes a product, and every combination of its options a goal", async () => {
  const { catalogue, goals, report } = await load([ROW], { B0ABCDEF01: ASKED });
  expect(catalogue.products[0]).toMatchObject({
    asin: "B0ABCDEF01",
    title: "Walnut Side Table",
    description: "Stands   firm.",
    query: "side table",
    price: 1059.99,
    priceTag: "$1059.99",
    rating: "N.A.",
    options: [
      { name: "color", values: ["natural | oiled", "black"] },
      { name: "size", values: ["small"] },
    ],
    attributes: ["solid wood"],
  });
  // 2 colours and 1 size: two goals. No multiple of 10 up to 990 lies above 1,059.99, so there is no cap.
  expect(goals.map(({ instruction }) => instruction)).toEqual([
    "Find me solid wood tables with color: natural | oiled, and size: small",
    "Find me solid wood tables with color: black, and size: small",
  ]);
  expect(report).toMatchObject({ rows: 1, products: 1, goals: 2, missingPrices: 0, priceRanges: 0 });
});

test("missing prices, ranges, duplicates, bad ids and malformed rows are handled as told and counted", async () => {
  const rows = [
    { ...ROW, asin: "A1", pricing: "" },
    { ...ROW, asin: "A2", pricing: null },
    { ...ROW, asin: "A3", pricing: "$10.00$20.00$30.00" },
    { ...ROW, asin: "A4", pricing: "call us" },
    { ...ROW, asin: "a1" },
    { ...ROW, asin: "nan" },
    { ...ROW, asin: "B0ABCDEF01X" },
    { asin: "A5" },
    "nonsense",
    { ...ROW, asin: "A6", pricing: "$5", customization_options: "", small_description: "One text", reviews: 7 },
  ];
  const { catalogue, report } = await load(rows, { A6: ASKED });
  expect(report).toMatchObject({
    rows: 10,
    products: 5,
    duplicates: 1,
    badAsins: 2,
    malformed: 2,
    missingPrices: 3,
    priceRanges: 1,
  });
  expect(report.firstFaults[0]).toContain("row 7");
  const [first, , range, , last] = catalogue.products;
  expect(first).toMatchObject({ price: 100, priceTag: "$100.0", attributes: ["DUMMY_ATTR"] });
  expect(range?.priceTag).toBe("$10.0 to $20.0");
  expect(range?.price).toBeGreaterThanOrEqual(10);
  expect(range?.price).toBeLessThan(20);
  expect(last).toMatchObject({ priceTag: "$5.0", options: [], bullets: ["One text"], reviews: [] });
});

test("instructions by people name plain values, lose their full stop and take the place of the others", async () => {
  const human = {
    B0ABCDEF01: [
      { instruction: "i want a walnut table.", instruction_attributes: ["solid wood"], instruction_options: ["black"] },
      { instruction: "anything", instruction_attributes: [], instruction_options: [] },
    ],
    B000000002: "not a list",
  };
  const { goals, report } = await load([{ ...ROW, pricing: "$985" }], { B0ABCDEF01: ASKED }, human);
  expect(goals).toEqual([
    {
      product: 0,
      instruction: "i want a walnut table",
      attributes: ["solid wood"],
      options: [{ value: "black" }],
      priceCap: 1_000_000,
    },
  ]);
  expect(report.badInstructions).toBe(1);
});

describe("files that cannot be used", () => {
  test.each([
    ["an empty file", "", /it is empty/],
    ["no JSON", "hello", /begins or ends with "h"/],
    ["a broken row", '[{"asin": oops}]', /entry 0 is not JSON/],
    ["half a file", '[{"asin": "A1"}, {"as', /ends in the middle/],
    ["text after the end", "[] []", /more text after its end/],
  ])("%s", async (_, content, message) => {
    await expect(load(content, { A1: ASKED })).rejects.toMatchObject({
      code: "bad-json-file",
      message: expect.stringMatching(message),
    });
  });

  test("a list without products, and products without instructions", async () => {
    await expect(load([], { A1: ASKED })).rejects.toMatchObject({ code: "empty-catalogue" });
    await expect(load([{}], { A1: ASKED })).rejects.toThrow(/row 0/);
    await expect(load([ROW], { A1: ASKED })).rejects.toMatchObject({ code: "no-goals" });
  });

  test("a file that is not there", async () => {
    const missing = { items: join(folder, "none.json"), instructions: join(folder, "none.json") };
    await expect(loadShop(missing)).rejects.toMatchObject({ code: "unreadable-file" });
  });
});

test("what the generator writes, the loader reads back the same", async () => {
  const made = generateCatalogue({ products: 120, seed: 5 });
  for (const { path, text } of writeShop(made)) await file(path, text);
  const paths = { items: join(folder, "items.json"), instructions: join(folder, "instructions.json") };
  const { catalogue, goals } = await loadShop(paths);
  // Where a range is shown, the price paid is drawn anew.
  const known = (products: typeof made.products): unknown[] =>
    products.map((product) => ({ ...product, price: product.priceTag.includes(" to ") ? "drawn" : product.price }));
  expect(known(catalogue.products)).toEqual(known(made.products));
  expect(goals.length).toBeGreaterThan(1_000);
  const env = await shop.create({ ...paths, products: 20 });
  expect(Object.keys(env.splits)).toEqual(["train", "valid", "test"]);
});

test("options the world does not know are refused, and half a pair of files too", async () => {
  await expect(shop.create({ size: 3 })).rejects.toMatchObject({
    code: "unknown-name",
    message: expect.stringContaining("size"),
  });
  await expect(shop.create({ products: 0 })).rejects.toMatchObject({ code: "bad-option" });
  await expect(shop.create({ items: "items.json" })).rejects.toThrow(/both `items` and `instructions`/);
});
