/** What the studio must never do, and what it says when something is missing, broken, refused or gone. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, NEEDS_BROWSER } from "../support/browser.ts";
import { openStudioBench, type StudioBench } from "../support/studio-bench.ts";

const EPISODE = "#/runs/trained/trajectory/6%2Ftrain%2F1";
const PLACES = [
  "#/runs",
  "#/runs/trained",
  "#/compare?run=trained&run=second",
  "#/trajectories",
  "#/trajectories?mode=sql&sql=select+*+from+trajectories",
  EPISODE,
  `${EPISODE}?with=6%2Ftrain%2F0`,
  "#/runs/hostile/trajectory/planted",
  "#/runs/hostile",
  "#/runs/forest/tree",
  "#/runs/forest/tree/group-1",
  "#/skills?source=run&run=trained&id=episode-false",
  "#/skills?id=look-first",
  "#/arena/spring",
  "#/judge",
  `${EPISODE}?queue=trained&find=shelf`,
  "#/train",
  "#/play",
];

/** Between them they have every colour of the studio. */
const COLOURED = [
  "#/runs",
  "#/runs/trained",
  `${EPISODE}?with=6%2Ftrain%2F0`,
  "#/runs/forest/tree/group-1",
  "#/arena/spring",
];

const SCREEN = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };

describe.skipIf(browserPath === undefined)(`the studio under attack and in trouble (${NEEDS_BROWSER})`, () => {
  let bench: StudioBench;
  beforeAll(async () => {
    bench = await openStudioBench();
  }, 120_000);
  afterAll(() => bench.close());

  test("hostile text is shown as text; nothing of it runs", async () => {
    const { page, faults } = await bench.visit("#/runs/hostile/trajectory/planted");
    const observation = page.locator(".step .seen").first();
    await observation.waitFor();
    const shown = (await observation.textContent()) ?? "";
    expect(shown).toContain(`<script>document.title = "owned"</script>`);
    expect(shown).toContain("![picture](https://example.invalid/markdown.png)");
    for (const escape of ["\\u001B[31mred", "\\u202E", "\\u200B", "\\u200D", "\\uFEFF", "\\u0000", "\\u0007"]) {
      expect(shown).toContain(escape);
    }
    expect(shown).not.toMatch(/\p{Cc}(?<![\n\t])|[\u200B-\u200F\u202A-\u202E\uFEFF]/u);
    expect(faults).toEqual([]);
  });

  // One walk for all of it: what takes the time is that a page comes.
  test("every page: nothing runs and nothing else is asked for, axe finds nothing serious in either theme, and it fits a phone", async () => {
    const { page, faults } = await bench.visit("#/runs");
    for (const place of PLACES) {
      await page.goto(`${bench.studio.url}/${place}`);
      await settled(page);
      // A script that ran would have made "owned" the whole of it.
      const owned = (await page.title()) === "owned";
      // The page's own pictures are its mark and its charts; nothing of a run ever becomes an element.
      const elements = await page.locator("main :is(script, img, iframe, object, embed, link, style)").count();
      const links = await page.locator("a[href^='javascript:'], a[href^='http']").count();
      expect({ place, owned, elements, links }).toEqual({ place, owned: false, elements: 0, links: 0 });
      expect({ place, light: await found(page, "everything") }).toEqual({ place, light: [] });
      const dark = COLOURED.includes(place) ? await foundInDark(page) : [];
      expect({ place, dark }).toEqual({ place, dark: [] });
      await page.setViewportSize(PHONE);
      await settled(page);
      const wide = await page.evaluate("document.documentElement.scrollWidth > 390");
      expect({ place, wide }).toEqual({ place, wide: false });
      await page.setViewportSize(SCREEN);
    }
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await found(page, "everything")).toEqual([]);
    expect(await foundInDark(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(faults).toEqual([]);
  }, 120_000);

  test("a line of five megabytes comes in pieces", async () => {
    const { page, faults } = await bench.visit("#/runs/hostile/trajectory/planted?step=1");
    const huge = page.locator(".step.held .seen");
    await huge.getByRole("button", { name: "show more" }).waitFor();
    const length = async (): Promise<number> => ((await huge.textContent()) ?? "").length;
    expect(await length()).toBeLessThan(3_000);
    await huge.getByRole("button", { name: "show more" }).click();
    await expect.poll(length).toBeGreaterThan(10_000);
    expect(await length()).toBeLessThan(100_000);
    expect(await huge.textContent()).toContain("more characters");
    expect(faults).toEqual([]);
  });

  test("without the token nothing is told, and a restarted server says what to do", async () => {
    const first = await bench.serve();
    const port = Number(new URL(first.url).port);
    const { page } = await bench.open("#/runs", { studio: first });
    await page.locator("tbody tr").first().waitFor();
    const stranger = await page.context().browser()?.newContext();
    const refused = await (await stranger?.newPage())?.goto(first.url);
    expect(refused?.status()).toBe(401);
    expect(await refused?.text()).toContain("limbeck studio");
    await stranger?.close();
    await first.close();
    // The second where the list was being asked for at that moment.
    const lost = /The connection to the server is lost|The server does not answer/;
    await page.getByText(lost).first().waitFor();
    await page.goto(`${first.url}/#/trajectories`);
    await page.getByText("The server does not answer").first().waitFor();
    const second = await bench.serve({ port });
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByText("This page has no valid key").first().waitFor();
    expect(await page.getByRole("alert").first().textContent()).toContain("open the address it prints");
    await second.close();
    await page.context().close();
  });

  test.each([
    ["a run that is not there", "#/runs/nowhere", "This run is not in the store"],
    ["a trajectory that is not there", "#/runs/trained/trajectory/nobody", "This trajectory is not in the run"],
    ["a damaged run", "#/runs/broken", "This run cannot be read"],
    ["a trajectory of a damaged run", "#/runs/broken/trajectory/lost", "A file of this run is damaged"],
    ["a page that is not there", "#/nonsense", "There is no such page"],
    ["an arena that is not there", "#/arena/nobody", "There is no arena"],
    ["a game of an earlier server", "#/play?game=gone", "This game is over"],
    ["a query that is wrong", "#/trajectories?mode=sql&sql=select+nonsense", "nonsense"],
  ])("%s: a clear message, no blank page", async (_what, place, words) => {
    const { page, faults } = await bench.visit(place);
    await page.getByRole("alert").filter({ hasText: words }).first().waitFor();
    expect(await page.getByRole("link", { name: "Trajectories", exact: true }).count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test("a fault of the page itself empties nothing", async () => {
    const { page } = await bench.open("#/runs");
    await page.route("**/api/facets*", (route) => route.fulfill({ json: { families: 7 } }));
    await page.goto(`${bench.studio.url}/#/trajectories`);
    await page.getByRole("alert").filter({ hasText: "This page has a fault" }).waitFor();
    await page.getByRole("link", { name: "All runs" }).click();
    await page.locator("tbody tr").first().waitFor();
    await page.context().close();
  });

  test("a broken run is left out of the table by name, and the others are there", async () => {
    const { page } = await bench.visit("#/trajectories");
    await page.locator(".note", { hasText: "broken" }).waitFor();
    expect(await page.locator("tbody tr").count()).toBeGreaterThan(10);
  });

  test("a run that is deleted under an open page is said to be gone, and what was read stays", async () => {
    const { page } = await bench.visit("#/runs/doomed");
    await page.getByRole("heading", { name: "doomed" }).waitFor();
    await page.locator(".rollouts li").first().waitFor();
    await rm(join(bench.root, "doomed"), { recursive: true });
    await page.getByRole("alert").filter({ hasText: "no longer there" }).waitFor();
    expect(await page.getByRole("heading", { name: "doomed" }).count()).toBe(1);
  });

  test("what only those see who may write and train is clean too, in either theme", async () => {
    const studio = await bench.serve({ write: true, train: ["--version"] });
    const { page, faults } = await bench.open("#/train", { studio, width: 390 });
    const clean = async (): Promise<void> => {
      expect(await found(page, "everything")).toEqual([]);
      expect(await foundInDark(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth > 390")).toBe(false);
    };
    await page.getByRole("button", { name: "Start" }).waitFor();
    await clean();
    // A training that ends at once without a training's words has failed, and says so.
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator(".training .badge", { hasText: "failed" }).waitFor();
    await clean();
    await page.goto(`${studio.url}/#/runs/hostile`);
    await page.getByRole("button", { name: "Tags and note" }).click();
    await page.getByLabel("Tags, with commas").waitFor();
    await clean();
    expect(faults).toEqual([]);
    await page.context().close();
  }, 120_000);
});

/** What axe finds that is serious. */
async function found(page: Page, rules: "color-contrast" | "everything"): Promise<unknown> {
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
  return await page.evaluate(axeRun(rules));
}

/** Only colours differ between the themes, so the second look is at them alone. */
async function foundInDark(page: Page): Promise<unknown> {
  await page.emulateMedia({ colorScheme: "dark" });
  const serious = await found(page, "color-contrast");
  await page.emulateMedia({ colorScheme: "light" });
  return serious;
}

/** As text: the types of a browser are not those of this project. */
function axeRun(rules: string): string {
  const only = rules === "everything" ? "" : `, runOnly: ["${rules}"]`;
  return `axe.run({ resultTypes: ["violations"]${only} }).then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary)))`;
}

/** The page has its title and waits for nothing any more. */
async function settled(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await expect.poll(() => page.locator(".loading").count(), { timeout: 20_000 }).toBe(0);
}
