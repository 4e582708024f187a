/** Text made safe for a terminal. */
export { cleanJson, cleanLine, cleanLines } from "../../base/clean-text.ts";
