/** Testing: contract suites that users run on their own parts, and kits for servers of two protocols. */

// Suites for a test runner
export { creditContract } from "limbeck-core/credit/credit.contract";
export { envContract } from "limbeck-core/env/env.contract";
export { policyContract } from "limbeck-policy/policy/policy.contract";
export { rewardContract } from "limbeck-core/reward/reward.contract";
export { strategyContract } from "limbeck-core/rollout/strategy.contract";
export { searchContract } from "limbeck-core/search/search.contract";
export { analystContract } from "limbeck-core/skill/analyst.contract";
export { teacherContract } from "limbeck-core/distill/teacher.contract";
export { pairSourceContract } from "limbeck-core/distill/pairs/pair-source.contract";

// The same in plain code
export { checkEnv } from "limbeck-core/env/env.contract";
export { checkPolicy } from "limbeck-policy/policy/policy.contract";
export { checkStrategy } from "limbeck-core/rollout/strategy.contract";
export { checkSearch } from "limbeck-core/search/search.contract";
export { auditRewards } from "limbeck-testing/hack-lab/lab";

// Servers
export { checkOpenEnvServer } from "limbeck-worlds/openenv/conformance/run";
export { checkTinkerServer } from "limbeck-policy/policy/tinker/conformance/run";
