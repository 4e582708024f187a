/** How often a property is tried: a few times by `npm test`, and as often as it deserves by `npm run test:nightly`. */
import { THOROUGH } from "./sort-tests.ts";

export function tries(usual: number, nightly: number): number {
  return process.env[THOROUGH] === undefined ? usual : nightly;
}
