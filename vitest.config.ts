import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { CostReporter } from "./test/support/cost-reporter.ts";
import { SkippedReporter } from "./test/support/skipped-reporter.ts";
import { ON_OBJECTS, sortTests, THOROUGH } from "./test/support/sort-tests.ts";
import { ShuffledByKind } from "./test/support/test-order.ts";

const { alone, models, slice, system, systemAlone, objects, thorough, nightly } = sortTests(import.meta.dirname);
// An emulated machine is many times slower: `npm run platforms -- --emulate`.
const patience = Number(process.env["LIMBECK_TEST_PATIENCE"] ?? 1);
const limits = { testTimeout: 60_000 * patience, hookTimeout: 60_000 * patience };
const setup = ["test/setup.ts"];
const unit = [...setup, "test/unit-limits.ts"];
const costs = join(import.meta.dirname, "node_modules", ".cache", "test-costs.txt");

// Vitest would leave one core free, which of two is half the machine. System tests wait a sixth of their time for programs and clocks.
const workers = Math.ceil(availableParallelism() * (process.argv.includes("system") ? 1.5 : 1));

export default defineConfig({
  test: {
    reporters: ["default", new CostReporter(import.meta.dirname, costs), new SkippedReporter()],
    sequence: { shuffle: true, sequencer: ShuffledByKind },
    maxWorkers: workers,
    // Sources that did not change are not transformed again; by content, in node_modules. `vitest --clearCache` empties it.
    experimental: { fsModuleCache: true },
    coverage: { provider: "v8", include: ["packages/*/src/**/*.ts"], exclude: ["**/*.test.ts"] },
    projects: [
      { test: { ...limits, name: "alone", include: alone, setupFiles: unit } },
      { test: { ...limits, name: "models", include: models, setupFiles: unit, isolate: false } },
      {
        test: {
          ...limits,
          name: "plain",
          // Not by name, so that a watching run finds new files.
          include: [
            "research/**/*.test.ts",
            "scripts/**/*.test.ts",
            "packages/*/src/**/*.test.ts",
            "packages/studio/pages/**/*.test.ts",
            "test/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", ...alone, ...models, ...slice, ...system, ...systemAlone, ...nightly],
          setupFiles: [...unit, "test/setup-plain.ts"],
          isolate: false,
        },
      },
      { test: { ...limits, name: "slice", include: slice, setupFiles: setup } },
      { test: { ...limits, name: "system", include: system, setupFiles: setup, isolate: false } },
      { test: { ...limits, name: "system-alone", include: systemAlone, setupFiles: setup } },
      {
        test: {
          ...limits,
          name: "objects",
          include: objects,
          setupFiles: setup,
          isolate: false,
          env: { [ON_OBJECTS]: "1" },
        },
      },
      {
        test: {
          ...limits,
          name: "thorough",
          include: thorough,
          setupFiles: setup,
          isolate: false,
          env: { [THOROUGH]: "1" },
        },
      },
      { test: { ...limits, name: "nightly", include: nightly, setupFiles: setup } },
    ],
  },
});
