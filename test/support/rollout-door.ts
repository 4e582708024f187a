/** The rollout room for tests of rooms that may not import it. */
export { createStrategy } from "../../packages/core/src/rollout/registry.ts";
export { rollOut } from "../../packages/core/src/walk/line/roll-out.ts";
export { createTokenAgent } from "../../packages/core/src/walk/mind/token-agent.ts";
