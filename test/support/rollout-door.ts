/** The rollout room for tests of rooms that may not import it. */
export { createStrategy } from "../../src/rollout/registry.ts";
export { rollOut } from "../../src/walk/line/roll-out.ts";
export { createTokenAgent } from "../../src/walk/mind/token-agent.ts";
