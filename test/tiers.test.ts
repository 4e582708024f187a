/** Two tiers: what was inferred from an abstract is behind `limbeck/experimental`, found by name, and marked in every list. */
import { describe, expect, test } from "vitest";
import { type EntryInfo, isExperimental } from "../packages/base/src/base/method-info.ts";
import { credits, getCredit } from "../packages/core/src/credit/registry.ts";
import * as experimental from "../packages/limbeck/src/doors/experimental.ts";
import { objectives } from "../packages/core/src/objective/registry.ts";
import { getRecipe, recipes } from "../packages/core/src/recipe/registry.ts";
import { getReward, rewards } from "../packages/core/src/reward/registry.ts";
import { getStrategy, strategies } from "../packages/core/src/rollout/registry.ts";
import { getSearch, searches } from "../packages/core/src/search/registry.ts";
import { limbeck } from "./support/fake-io.ts";

type Table = Readonly<Record<string, { readonly info: EntryInfo }>>;

const TIERS: readonly { readonly name: string; readonly stable: Table; readonly tried: Table }[] = [
  { name: "credits", stable: credits, tried: experimental.experimentalCredits },
  { name: "objectives", stable: objectives, tried: experimental.experimentalObjectives },
  { name: "recipes", stable: recipes, tried: experimental.experimentalRecipes },
  { name: "rewards", stable: rewards, tried: experimental.experimentalRewards },
  { name: "searches", stable: searches, tried: experimental.experimentalSearches },
  { name: "strategies", stable: strategies, tried: experimental.experimentalStrategies },
];

describe.each(TIERS)("$name", ({ stable, tried }) => {
  test("every entry is in the table of its confidence", () => {
    const wrong = (table: Table, wanted: boolean): string[] =>
      Object.entries(table).flatMap(([id, { info }]) => (isExperimental(info) === wanted ? [] : [id]));
    expect([...wrong(stable, false), ...wrong(tried, true)]).toEqual([]);
    expect(Object.keys(stable).length).toBeGreaterThan(0);
    expect(Object.keys(tried).length).toBeGreaterThan(0);
  });
});

test("names find both tiers", () => {
  expect(getCredit("portool")).toBe(experimental.experimentalCredits.portool);
  expect(getCredit("grpo")).toBe(credits.grpo);
  expect(getRecipe("fate")).toBe(experimental.experimentalRecipes.fate);
  expect(getReward("tiers")).toBe(experimental.experimentalRewards.tiers);
  expect(getStrategy("guided")).toBe(experimental.experimentalStrategies.guided);
  expect(getSearch("mcgs")).toBe(experimental.experimentalSearches.mcgs);
});

test("lists and explanations mark what is experimental", async () => {
  const { objects } = await limbeck(["methods", "--json"]);
  const marked = objects().filter((method) => method["experimental"] === true);
  expect(marked.map(({ id }) => id)).toContain("portool");
  expect(marked.every(({ confidence }) => confidence === "inferred" || confidence === "reading")).toBe(true);
  const explained = async (id: string): Promise<string> => (await limbeck(["explain", id])).out.replaceAll(/\s+/g, " ");
  expect(await explained("hi-agent")).toContain("experimental: follows an abstract");
  expect(await explained("portool")).toContain("experimental: follows a third party's reading");
  expect(await explained("gigpo")).not.toContain("experimental");
});
