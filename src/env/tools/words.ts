/** The words the generator draws from: people, places and goods. All invented or everyday. */
import { z } from "zod";
import { words, worldTable } from "../world-data.ts";

/** With options and a price to start from, in cents. */
const goods = z.strictObject({ name: z.string(), cents: z.int(), options: z.record(z.string(), words) }).readonly();
export type Goods = z.output<typeof goods>;

export const shopWords = worldTable(
  "tools.json",
  z.strictObject({
    firstNames: words,
    lastNames: words,
    streets: words,
    /** Cities with their regions. */
    cities: z.record(z.string(), z.string()).transform((cities) => Object.entries(cities)),
    country: z.string(),
    cardBrands: words,
    goods: z.array(goods).readonly(),
  }),
);
