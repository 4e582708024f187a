/** Env: the worlds an agent acts in, their contract, and wrappers that change one thing about any of them. */

// Worlds by name
export { envs, getWorld } from "../worlds/index.ts";
export type { World } from "../env/world.ts";

// A world of your own
export { episodeOf } from "../env/episode-of.ts";
export { unknownSplit, episodeEnded, episodeClosed } from "../env/episode-error.ts";
export type { Demonstrator, Seen } from "../env/expert.ts";
export { wrapEnv, wrapEpisode } from "../env/wrap.ts";
export { withHistory } from "../env/with-history.ts";
export { withInvalidActionPenalty } from "../env/with-invalid-action-penalty.ts";
export { withNoisyObservations } from "../env/with-noisy-observations.ts";
export { withRecording } from "../env/with-recording.ts";
export { withRetry } from "../env/with-retry.ts";
export { withTimeLimit } from "../env/with-time-limit.ts";

// Worlds of others
export { createAgentWorld } from "../worlds/agent/agent-world.ts";
export { runAgent } from "../run/run-agent.ts";
export { createOpenEnv } from "../worlds/openenv/client.ts";
export { startEnvServer, type EnvServer } from "../worlds/openenv/server.ts";
export { mcpSessions } from "../worlds/tools/mcp-session.ts";
export { stdioTransport } from "../worlds/tools/mcp-transport.ts";

// Worlds that are here
export { createAlfworld } from "../worlds/alfworld/alfworld.ts";
export { opid } from "../worlds/alfworld/opid.ts";
export { successByFamily } from "../trajectory/household-family.ts";
export { createHousehold } from "../worlds/household/household.ts";
export { household } from "../worlds/household/index.ts";
export { withNoise } from "../worlds/household/demonstrators.ts";
export { createShop } from "../worlds/shop/shop.ts";
export { loadShop } from "../worlds/shop/load.ts";
export { generateCatalogue, generateGoals } from "../worlds/shop/generate.ts";
export { createResearch } from "../worlds/research/research.ts";
export { bm25Retriever } from "../worlds/research/retriever.ts";
export { httpRetriever } from "../worlds/research/http-retriever.ts";
export { loadCorpus, loadQuestions } from "../worlds/research/load.ts";
export { createTools, scenarioTask, policyViolations } from "../worlds/tools/tools-env.ts";
export { parseAction, callAction } from "../trajectory/tool-action.ts";
export { ScenarioSchema } from "../worlds/tools/scenario.ts";
