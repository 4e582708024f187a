import { describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { createStrategy, allStrategies } from "./registry.ts";
import { checkStrategy, strategyContract } from "./strategy.contract.ts";
import type { Strategy } from "./strategy.ts";

const runner = { describe, test };

for (const name of Object.keys(allStrategies)) {
  strategyContract({ name, create: () => createStrategy(name), tasks: tries(2, 3), runner });
}

const breakages: Record<string, { run: Strategy["run"]; message: RegExp }> = {
  "nothing rolled out": { run: () => Promise.resolve(), message: /rolled out nothing/ },
  "an order of its own": {
    run: async (scope) => {
      // Whoever is quicker names the next walk.
      let count = 0;
      await scope.each(scope.tasks, async (own, task) => {
        const walk = await own.open(task, "walk");
        await walk?.step();
        count += 1;
        walk?.note({ place: count });
        await walk?.advance();
      });
    },
    message: /differs at concurrency/,
  },
  "a rollout that swallows its cancellation": {
    run: async (scope) => {
      for (const task of scope.tasks) {
        const walk = await scope.open(task, "walk").catch(() => undefined);
        await walk?.advance().catch(() => undefined);
        if (scope.signal.aborted) throw new Error("never mind");
      }
    },
    message: /instead of "cancelled"/,
  },
};

test.each(Object.entries(breakages))("%s is found out", async (name, { run, message }) => {
  await expect(checkStrategy({ name, create: () => ({ run }) })).rejects.toThrow(message);
});
