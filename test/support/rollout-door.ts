/** The rollout room for tests of rooms that may not import it. */
export { createStrategy } from "../../src/rollout/index.ts";
export { createTokenAgent, rollOut } from "../../src/walk/index.ts";
