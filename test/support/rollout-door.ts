/** The rollout room for tests of rooms that may not import it. */
export { createStrategy, createTokenAgent, rollOut } from "../../src/rollout/index.ts";
