import { expect, test } from "vitest";
import { createAnalyser, createCatalogue, createSearch, MAX_RESULTS, searchableText } from "./product.ts";
import { testProduct } from "../../../../test/support/shop.ts";
import { generateCatalogue } from "./generate.ts";

test("words become lower-case stems without stop words and possessive endings", () => {
  const analyse = createAnalyser();
  expect(analyse("The Women's Running Shoes, and 3.5 oz of Tea!")).toEqual([
    "women",
    "run",
    "shoe",
    "3.5",
    "oz",
    "tea",
  ]);
  expect(analyse("don’t rose_gold 1,000")).toEqual(["don’t", "rose_gold", "1,000"]);
  expect(analyse("红茶 crème")).toEqual(["红", "茶", "crème"]);
  expect(analyse("... !!! the")).toEqual([]);
});

test("title, description, first bullet and options are indexed; later bullets, attributes and reviews are not", () => {
  expect(searchableText(testProduct())).toBe(
    "oak desk lamp a lamp for small desks. warm white bulb color: black, white, navy blue, and size: small, tall",
  );
});

test("the best match comes first and equal ones keep the catalogue's order", () => {
  const titles = ["pine shelf", "oak desk lamp", "oak desk", "oak desk", "brass bed"];
  const bare = { description: "", bullets: [], options: [] };
  const products = titles.map((title, at) => testProduct({ ...bare, title, asin: `A${at}` }));
  const search = createSearch(createCatalogue(products));
  // Each of "oak" and "desk" is in three of five products; "lamp" in one, so it weighs most. Products 2 and 3 are equal
  // and shorter than product 1, which has the third word.
  expect([...search("oak desk lamp")]).toEqual([1, 2, 3]);
  expect([...search("OAK DESKS")]).toEqual([2, 3, 1]);
  expect([...search("sofa")]).toEqual([]);
  expect([...search(" \u0000[]")]).toEqual([]);
});

test("at most 50 products are found, and a very long query still answers", () => {
  const search = createSearch(generateCatalogue({ products: 300, seed: 1 }));
  expect(search("made for quality free")).toHaveLength(MAX_RESULTS);
  expect(search("free ".repeat(20_000))).toHaveLength(MAX_RESULTS);
});
