/** Finds the policy breaches of a finished trajectory by playing its actions again: the world is deterministic. */
import type { Step, Task } from "../../trajectory/index.ts";
import type { PolicyRule } from "./policy.ts";
import { POLICY_RULES } from "./policy.ts";
import { createTools } from "./tools-env.ts";

export interface FoundViolation {
  readonly step: number;
  readonly rule: PolicyRule;
  readonly action: string;
}

/**
 * `steps` are those of the whole episode; for a branch, join it with its parent's first.
 *
 * @example
 * const { trajectories } = await rollout({ env: "tools", policy: "hasty", tasks: 1, group: 1 });
 * for (const trajectory of trajectories) console.log((await policyViolations(trajectory)).map(({ rule }) => rule)); // [ "unconfirmed-write" ]
 */
export async function policyViolations(trajectory: {
  readonly task: Task;
  readonly steps: readonly Pick<Step, "index" | "action">[];
}): Promise<FoundViolation[]> {
  const { task, steps } = trajectory;
  const env = createTools({ maxSteps: Math.max(1, steps.length) });
  const episode = await env.open(task);
  const found: FoundViolation[] = [];
  for (const { index, action } of steps) {
    if (episode.ending !== undefined) break;
    const { info } = await episode.step(action);
    const rules = info?.["violations"];
    for (const rule of Array.isArray(rules) ? rules : []) {
      if (isRule(rule)) found.push({ step: index, rule, action });
    }
  }
  await episode.close();
  return found;
}

function isRule(value: unknown): value is PolicyRule {
  return typeof value === "string" && Object.hasOwn(POLICY_RULES, value);
}
