/** Env: the worlds an agent acts in, their contract, and wrappers that change one thing about any of them. */

// Worlds by name
export { envs, getWorld } from "../env/index.ts";
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
export { createAgentWorld } from "../env/agent/agent-world.ts";
export { runAgent } from "../run/run-agent.ts";
export { createOpenEnv } from "../env/openenv/client.ts";
export { startEnvServer, type EnvServer } from "../env/openenv/server.ts";
export { mcpSessions } from "../env/tools/mcp-session.ts";
export { stdioTransport } from "../env/tools/mcp-transport.ts";

// Worlds that are here
export { createAlfworld } from "../env/alfworld/alfworld.ts";
export { opid } from "../env/alfworld/opid.ts";
export { successByFamily } from "../env/alfworld/family.ts";
export { createHousehold } from "../env/household/household.ts";
export { household } from "../env/household/index.ts";
export { withNoise } from "../env/household/demonstrators.ts";
export { createShop } from "../env/shop/shop.ts";
export { loadShop } from "../env/shop/load.ts";
export { generateCatalogue, generateGoals } from "../env/shop/generate.ts";
export { createResearch } from "../env/research/research.ts";
export { bm25Retriever } from "../env/research/retriever.ts";
export { httpRetriever } from "../env/research/http-retriever.ts";
export { loadCorpus, loadQuestions } from "../env/research/load.ts";
export { createTools, scenarioTask, policyViolations } from "../env/tools/tools-env.ts";
export { parseAction, callAction } from "../env/tools/action.ts";
export { ScenarioSchema } from "../env/tools/scenario.ts";
