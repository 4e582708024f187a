/** The attributes a regular customer knows. */
import { shopWords } from "./stock.ts";

/**
 * Those of the generated catalogue. For official files, take the attributes of the loaded products.
 *
 * @example
 * console.log(stockVocabulary().includes("fast charging")); // true
 */
export function stockVocabulary(): string[] {
  return [...new Set(shopWords().stock.flatMap(({ types }) => types.flatMap(({ attributes }) => attributes)))];
}
