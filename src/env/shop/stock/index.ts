/** Stock: the tables of made-up brands, things, attributes and options that the generated catalogue draws from. */
import { beauty } from "./beauty.ts";
import { electronics } from "./electronics.ts";
import { fashion } from "./fashion.ts";
import { garden } from "./garden.ts";
import { grocery } from "./grocery.ts";
import type { StockCategory } from "./stock.ts";

export const stock: readonly StockCategory[] = [beauty, electronics, fashion, garden, grocery];

export type { StockCategory, StockOption, StockType } from "./stock.ts";
