/** Every method leads to its paper: a reader of the docs can follow it with one click. */
import { expect, test } from "vitest";
import { paperText } from "../scripts/docs/papers.ts";
import type { EntryInfo } from "../packages/base/src/base/method-info.ts";
import { allMethods } from "../packages/limbeck/src/cli/methods/all-methods.ts";
import { allRecipes } from "../packages/core/src/recipe/registry.ts";

const entries: readonly (readonly [string, EntryInfo])[] = [
  ...allMethods().map((method) => [`${method.room} ${method.id}`, method] as const),
  ...Object.entries(allRecipes).map(([id, { info }]) => [`recipe ${id}`, info] as const),
];

test("every method links its paper, but for what everybody does and what is our own", () => {
  const without = entries.filter(([, { paper = "" }]) => !paperText(paper).includes("](http"));
  const papers = without.map(([name, { paper }]) => `${name}: ${paper}`);
  expect(papers.toSorted()).toEqual([
    "reward outcome: Common practice",
    "reward step-rewards: Common practice",
    "reward verifier: Common practice",
    "reward world-part: Our own",
  ]);
});

test("a number of arXiv becomes a link, a known name one where there is no number, and the rest is text", () => {
  expect(paperText("DAPO, arXiv 2503.14476")).toBe("DAPO, [arXiv 2503.14476](https://arxiv.org/abs/2503.14476)");
  expect(paperText("XRPO, arXiv 2510.06672")).toBe("XRPO, [arXiv 2510.06672](https://arxiv.org/abs/2510.06672)");
  expect(paperText("TreePO; a <b>")).toBe(String.raw`[TreePO](https://arxiv.org/abs/2508.17445); a \<b\>`);
  expect(paperText("TreePOs")).toBe("TreePOs");
});
