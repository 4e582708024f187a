/** Small products and goals for tests of the shop. */
import type { Goal } from "../../packages/worlds/src/shop/goal.ts";
import type { Product } from "../../packages/worlds/src/shop/product.ts";

export function testProduct(changes: Partial<Product> = {}): Product {
  return {
    asin: "B000000001",
    title: "oak desk lamp",
    description: "A lamp for small desks.",
    bullets: ["Warm white bulb", "Two year promise"],
    category: "garden",
    query: "desk lamp",
    productCategory: "Home › Lighting › Desk Lamps",
    price: 40,
    priceTag: "$40.0",
    rating: "4.5",
    reviews: [{ title: "Nice", score: "5.0", body: "Bright enough." }],
    options: [
      { name: "color", values: ["black", "white", "navy blue"] },
      { name: "size", values: ["small", "tall"] },
    ],
    attributes: ["dimmable light", "touch control", "energy saving"],
    ...changes,
  };
}

export function testGoal(changes: Partial<Goal> = {}): Goal {
  return {
    product: 0,
    instruction: "Get me a dimmable desk lamp",
    attributes: ["dimmable light", "touch control"],
    options: [
      { name: "color", value: "black" },
      { name: "size", value: "tall" },
    ],
    priceCap: 50,
    ...changes,
  };
}
