/** "1 updates" is not English. Where people read it, a number stands before its noun through `plural`, or is never 1. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../../..");
const COUNTED = "arm|episode|pair|round|run|seed|session|setting|step|task|token|trial|update";
/** `${…} updates`, `{count(…)} updates` and `<b>{…}</b> updates`. */
const BARE = new RegExp(`[^=]\\}(?:</b>|</span>)? (?:environment )?(?:${COUNTED})s\\b(?!=)`);

/** Never 1, or no count. */
const FINE: readonly string[] = [
  "packages/limbeck/src/cli/eval/show-eval.ts", // A mean difference.
  "packages/limbeck/src/cli/lift/show-lift.ts", // More than one.
  "packages/limbeck/src/cli/methods/credit-lines.ts", // More than are shown.
  "packages/limbeck/src/cli/model/show-model.ts", // A mean.
  "packages/limbeck/src/cli/skills/show-followed.ts", // More than one.
  "packages/limbeck/src/cli/skills/show.ts", // Of all.
  "packages/limbeck/src/cli/traces/show-traces.ts", // Of all.
  "packages/limbeck/src/cli/train/view.ts", // A mean.
  "packages/limbeck/src/cli/warm-up/show-warm-up.ts", // Of all.
  "packages/limbeck/src/cli/with-store.ts", // Several.
  "packages/studio/pages/src/pages/trajectories/filter-bar.tsx", // Several.
];

test("no count stands before a plural noun by itself", () => {
  const found = ["packages/limbeck/src/cli", "packages/studio/pages/src"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .filter((file) => BARE.test(readFileSync(join(ROOT, file), "utf8"))),
  );
  expect(found.filter((file) => !FINE.includes(file))).toEqual([]);
});
