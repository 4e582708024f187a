import { expect, test } from "vitest";
import type { EntryInfo } from "../../packages/base/src/base/method-info.ts";
import { loadCatalog } from "../../packages/limbeck/src/cli/catalog/catalog.ts";
import { catalogPage } from "./catalog-page.ts";

test("a row whose entry follows an abstract or a reading says so beside its state", () => {
  const [gigpo] = loadCatalog().filter(({ system }) => system === "GiGPO");
  if (gigpo === undefined) throw new Error("GiGPO is not in the catalog.");
  const page = (confidence: EntryInfo["confidence"]): string =>
    catalogPage([gigpo], new Map([[gigpo.lives ?? "", { title: "", meaning: "", ...(confidence && { confidence }) }]]));
  expect(page("inferred").match(/\| works \(inferred\) \|/gu)).toHaveLength(2);
  expect(page("reading").match(/\| works \(reading\) \|/gu)).toHaveLength(2);
  expect(page("code")).not.toContain("works (");
});
