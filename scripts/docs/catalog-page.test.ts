import { expect, test } from "vitest";
import type { EntryInfo } from "../../packages/base/src/base/method-info.ts";
import { loadCatalog } from "../../packages/limbeck/src/cli/catalog/catalog.ts";
import { catalogPage } from "./catalog-page.ts";

test("a row whose entry follows an abstract or a reading says so beside its state", () => {
  const [hgpo] = loadCatalog().filter(({ system }) => system === "HGPO");
  if (hgpo === undefined) throw new Error("HGPO is not in the catalog.");
  const page = (confidence: EntryInfo["confidence"]): string =>
    catalogPage([hgpo], new Map([[hgpo.lives ?? "", { title: "", meaning: "", ...(confidence && { confidence }) }]]));
  expect(page("inferred").match(/\| works \(inferred\) \|/gu)).toHaveLength(2);
  expect(page("reading").match(/\| works \(reading\) \|/gu)).toHaveLength(2);
  expect(page("code")).not.toContain("works (");
});
