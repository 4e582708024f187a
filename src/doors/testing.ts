/** Testing: contract suites that users run on their own parts, and kits for servers of two protocols. */

// Suites for a test runner
export { creditContract } from "../credit/credit.contract.ts";
export { envContract } from "../env/env.contract.ts";
export { policyContract } from "../policy/policy.contract.ts";
export { rewardContract } from "../reward/reward.contract.ts";
export { strategyContract } from "../rollout/strategy.contract.ts";
export { searchContract } from "../search/search.contract.ts";
export { analystContract } from "../skill/analyst.contract.ts";
export { teacherContract } from "../distill/teacher.contract.ts";
export { pairSourceContract } from "../distill/pairs/pair-source.contract.ts";

// The same in plain code
export { checkEnv } from "../env/env.contract.ts";
export { checkPolicy } from "../policy/policy.contract.ts";
export { checkStrategy } from "../rollout/strategy.contract.ts";
export { checkSearch } from "../search/search.contract.ts";
export { auditRewards } from "../testing/hack-lab/lab.ts";

// Servers
export { checkOpenEnvServer } from "../worlds/openenv/conformance/run.ts";
export { checkTinkerServer } from "../policy/tinker/conformance/run.ts";
