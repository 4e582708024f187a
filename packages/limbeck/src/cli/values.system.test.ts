import { transform } from "esbuild";
import { expect, test } from "vitest";
import { namesIn } from "limbeck-core/recipe/methods.part";

test("names are read from a registry as it is written and as it is compiled", async () => {
  const written = `import { a } from "./a.ts";
export const stable = {
  "mc-critic": mcCritic,
  // A remark: it is no entry.
  grpo,
  r3l: r3lMethod,
} as const satisfies Record<string, unknown>;
export const experimental = {
  a2,
} as const;
export const all = bothTiers(stable, experimental);
const other = { no: 1, entry: 2 };
`;
  const { code } = await transform(written, { loader: "ts", format: "esm" });
  for (const text of [written, code]) expect(namesIn(text)).toEqual(["a2", "grpo", "mc-critic", "r3l"]);
});
