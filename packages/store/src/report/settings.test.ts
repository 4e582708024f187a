import { expect, test } from "vitest";
import { flatten } from "./settings.ts";

test("settings are leaves with dotted names", () => {
  const config = { recipe: "opid", settings: { rate: 0.5, list: [1, 2] }, stopAt: null, empty: {} };
  expect([...flatten(config)]).toEqual([
    ["recipe", "opid"],
    ["settings.rate", "0.5"],
    ["settings.list", "[1,2]"],
    ["stopAt", "null"],
  ]);
});
