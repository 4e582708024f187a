/** Env: the worlds an agent acts in, their contract, and wrappers that change one thing about any of them. */

// Worlds by name
export { envs, getWorld } from "limbeck-worlds/index";
export type { World } from "limbeck-core/env/world";

// A world of your own
export { episodeOf } from "limbeck-core/env/episode-of";
export { drawnEnv } from "limbeck-core/env/drawn-tasks";
export { unknownSplit, episodeEnded, episodeClosed } from "limbeck-core/env/episode-error";
export type { Demonstrator, Seen } from "limbeck-core/env/expert";
export { wrapEnv, wrapEpisode } from "limbeck-core/env/wrap";
export { withHistory } from "limbeck-core/env/with-history";
export { withInvalidActionPenalty } from "limbeck-core/env/with-invalid-action-penalty";
export { withNoisyObservations } from "limbeck-core/env/with-noisy-observations";
export { withRecording } from "limbeck-core/env/with-recording";
export { withRetry } from "limbeck-core/env/with-retry";
export { withTimeLimit } from "limbeck-core/env/with-time-limit";

// Worlds of others
export { createAgentWorld } from "limbeck-worlds/agent/agent-world";
export { runAgent } from "../run/run-agent.ts";
export { createOpenEnv } from "limbeck-worlds/openenv/client";
export { startEnvServer } from "limbeck-worlds/openenv/server";
export { mcpSessions } from "limbeck-worlds/tools/mcp-session";
export { stdioTransport } from "limbeck-worlds/tools/mcp-transport";

// Worlds that are here
export { createAlfworld } from "limbeck-worlds/alfworld/alfworld";
export { opid } from "limbeck-worlds/alfworld/opid";
export { successByFamily } from "limbeck-base/trajectory/household-family";
export { createHousehold } from "limbeck-worlds/household/household";
export { household } from "limbeck-worlds/household/index";
export { withNoise } from "limbeck-worlds/household/demonstrators";
export { createShop } from "limbeck-worlds/shop/shop";
export { loadShop } from "limbeck-worlds/shop/load";
export { generateCatalogue, generateGoals } from "limbeck-worlds/shop/generate";
export { createResearch } from "limbeck-worlds/research/research";
export { bm25Retriever } from "limbeck-worlds/research/retriever";
export { httpRetriever } from "limbeck-worlds/research/http-retriever";
export { loadCorpus, loadQuestions } from "limbeck-worlds/research/load";
export { createTools, scenarioTask, policyViolations } from "limbeck-worlds/tools/tools-env";
export { parseAction, callAction } from "limbeck-base/trajectory/tool-action";
export { ScenarioSchema } from "limbeck-worlds/tools/scenario";
