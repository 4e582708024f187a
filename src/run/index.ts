/** Run: the ways to use an agent, each one function with every default: evaluate, roll out, search, compare, tune, give credit. */
export {
  openAgent,
  type AgentOptions,
  type OpenedAgent,
  type PolicyPart,
  type PolicyPlace,
  type SpeechOptions,
} from "./agent.ts";
export { arena, type ArenaEvent, type ArenaOptions, type ArenaResult, type RunArenaOptions } from "./arena.ts";
export { DEFAULTS } from "./defaults.ts";
export { credit, type Credited, type CreditOptions } from "./credit.ts";
export { draftHeads } from "./draft-heads.operation.ts";
export { evaluate, type Evaluated, type EvaluateEvent, type EvaluateOptions } from "./evaluate.ts";
export type { PartOptions } from "./parts.ts";
export { judgeReward, trainReward } from "./reward.operation.ts";
export { rollout, type RolledOut, type RolloutEvent, type RolloutOptions } from "./rollout.ts";
export { runAgent, type AgentTask, type RunAgentOptions } from "./run-agent.ts";
export { search, type Searched, type SearchEvent, type SearchOptions } from "./search.ts";
export { tune, type RunTuneOptions, type Tuned, type TuneEvent, type TuneOptions } from "./tune.ts";
export { openSearch, type OpenedSearch, type SearchSettings } from "./search-plan.ts";
export { warmUpModel } from "./warm-up.operation.ts";
export { liftSkills } from "./lift.operation.ts";
export { rolloutRun } from "./rollout.operation.ts";
