/** limbeck/testing: contract suites that users run on their own parts. */
export type { Runner } from "./base/index.ts";
export type { CaseKind, CaseResult } from "./base/conformance.ts";
export { creditContract, type CreditContractOptions } from "./credit/credit.contract.ts";
export { pairSourceContract, type PairSourceContractOptions } from "./distill/pairs/pair-source.contract.ts";
export { HOSTILE_ACTIONS, type EnvCheckOptions } from "./env/check-play.ts";
export {
  checkOpenEnvServer,
  openEnvCases,
  type OpenEnvConformanceOptions,
  type OpenEnvReport,
} from "./worlds/openenv/conformance/run.ts";
export { checkEnv, envContract, type EnvContractOptions } from "./env/env.contract.ts";
export { teacherContract, type TeacherContractOptions } from "./distill/teacher.contract.ts";
export type { CheckedPolicy, PolicyCheckOptions } from "./policy/check.ts";
export type { StrategyCheckOptions } from "./rollout/check-strategy.ts";
export { checkStrategy, strategyContract, type StrategyContractOptions } from "./rollout/strategy.contract.ts";
export { checkPolicy, policyContract, type PolicyContractOptions, type PolicyLayer } from "./policy/policy.contract.ts";
export {
  checkTinkerServer,
  tinkerCases,
  type ConformanceOptions,
  type ConformanceReport,
} from "./policy/tinker/conformance/run.ts";
export { rewardContract, type RewardContractOptions } from "./reward/reward.contract.ts";
export { analystContract, type AnalystContractOptions } from "./skill/analyst.contract.ts";
export type { SearchCheckOptions } from "./search/check-search.ts";
export { checkSearch, searchContract, type SearchContractOptions } from "./search/search.contract.ts";
