/** The attributes a regular customer knows. */
import { stock } from "./stock/index.ts";

/** Those of the generated catalogue. For official files, take the attributes of the loaded products. */
export function stockVocabulary(): string[] {
  return [...new Set(stock.flatMap(({ types }) => types.flatMap(({ attributes }) => attributes)))];
}
