/** What a demonstrator of the tools world comes to on tasks of a split: what it failed, by family, and its breaches of the policy. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { Env } from "../../packages/core/src/env/env.ts";
import type { Demonstrator } from "../../packages/core/src/env/expert.ts";
import { scenarioOf } from "../../packages/worlds/src/tools/scenario.ts";

export async function outcomes(env: Env, split: string, count: number, demonstrator: Demonstrator) {
  const failed: string[] = [];
  const families = new Map<string, { won: number; all: number }>();
  let violations = 0;
  for await (const task of env.tasks(split, { count })) {
    const episode = await env.open(task);
    const demonstration = demonstrator.start(task, createRng(0));
    let action: string | undefined;
    let info: unknown;
    while (episode.ending === undefined) {
      action = demonstration.next({ action, observation: episode.observation });
      ({ info } = await episode.step(action));
    }
    const entry = families.get(scenarioOf(task).family) ?? { won: 0, all: 0 };
    families.set(scenarioOf(task).family, { won: entry.won + (episode.success === true ? 1 : 0), all: entry.all + 1 });
    if (episode.success !== true || episode.ending !== "terminated") failed.push(task.id);
    violations += (info as { allViolations: unknown[] }).allViolations.length;
  }
  return { failed, families, violations };
}
