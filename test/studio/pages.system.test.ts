/** Every page of the studio in a real browser, over a store with known numbers. */
import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMAND_LINE } from "../support/command-line.ts";
import { browserPath, NEEDS_BROWSER } from "../support/browser.ts";
import { openStudioBench, type StudioBench } from "../support/studio-bench.ts";
import { LONG_STEPS } from "../support/studio-store.ts";

const EPISODE = "#/runs/trained/trajectory/6%2Ftrain%2F0";
const FAILED = "#/runs/trained/trajectory/6%2Ftrain%2F1";

/** A second, which is what a poll has by itself, is little on a busy machine. */
const SOON = { timeout: 20_000 };

describe.skipIf(browserPath === undefined)(`the studio in a browser (${NEEDS_BROWSER})`, () => {
  let bench: StudioBench;
  beforeAll(async () => {
    bench = await openStudioBench();
  }, 120_000);
  afterAll(() => bench.close());

  test("everything a browser loads is under 250 kB compressed, charts included", async () => {
    const files = (await readdir(bench.pages, { recursive: true })).filter((name) => /\.(html|js|css|svg)$/.test(name));
    const sizes = await Promise.all(
      files.map(async (name) => gzipSync(await readFile(join(bench.pages, name))).length),
    );
    expect(files.length).toBeGreaterThan(3);
    expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThan(250_000);
  });

  test("runs are listed, searched, and compared from the keyboard", async () => {
    const { page, faults } = await bench.visit("");
    await page.locator("tbody tr").first().waitFor();
    const names = await page.locator("tbody th a").allTextContents();
    expect(names).toEqual(
      expect.arrayContaining(["broken", "doomed", "forest", "hostile", "long", "second", "trained"]),
    );
    const trained = page.locator("tbody tr", { has: page.getByRole("link", { name: "trained", exact: true }) });
    // Rows come before their figures where the server has yet to read them, as in its first minute.
    await trained.getByText("[0.625, 0.875]").waitFor();
    // 6 of 8 held-out tasks; the stored interval is 5/8 to 7/8.
    expect(await trained.textContent()).toContain("0.750");
    expect(await trained.textContent()).toContain("[0.625, 0.875]");
    expect(await page.locator("tr", { hasText: "broken" }).textContent()).toMatch(/broken|cannot|damaged/);
    await page.keyboard.press("/");
    await page.keyboard.type("opid");
    await expect.poll(() => page.locator("tbody tr").count(), SOON).toBe(2);
    expect(page.url()).toContain("q=opid");
    await page.keyboard.press("Escape");
    for (const key of ["j", "x", "j", "x", "c"]) await page.keyboard.press(key);
    await page.getByRole("heading", { name: "Compare", level: 1 }).waitFor();
    await page.locator("svg.plot").first().waitFor();
    const difference = page.getByRole("region", { name: "Settings side by side" });
    expect(await difference.textContent()).toContain("rise");
    expect(await difference.textContent()).not.toContain("learningRate");
    expect(faults).toEqual([]);
  });

  test("keys lead from page to page, show themselves and change the colours", async () => {
    const { page, faults } = await bench.open("#/runs");
    for (const [key, title] of [
      ["t", "Trajectories"],
      ["b", "Trees"],
      ["s", "Skills"],
      ["a", "Arena"],
      ["p", "Play"],
      ["f", "Fleet"],
      ["r", "Runs"],
    ]) {
      // The second key must follow the first within a moment, which a busy machine may miss: a person presses again.
      const pressed = async (): Promise<boolean> => {
        await page.keyboard.press("g");
        await page.keyboard.press(key as string);
        return await page.getByRole("heading", { name: title as string, level: 1 }).isVisible();
      };
      await expect.poll(pressed, { timeout: 20_000, interval: 200 }).toBe(true);
    }
    const ground = (): Promise<unknown> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    for (const key of ["d", "d"]) await page.keyboard.press(key);
    await expect.poll(ground, SOON).not.toBe(light);
    await page.reload();
    await expect.poll(ground, SOON).not.toBe(light);
    await page.keyboard.press("?");
    expect(await page.getByRole("dialog").textContent()).toContain("choose the run for a comparison");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count(), SOON).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("a run shows how far, how well, and its curves", async () => {
    const { page, faults } = await bench.visit("#/runs/trained");
    await page.locator("svg.plot").nth(2).waitFor();
    expect(await page.getByTestId("updates-done").textContent()).toBe("6");
    const text = (await page.locator("main").textContent()) ?? "";
    for (const words of ["0.250", "0.750", "1,200", "5 min 12 s", "Teacher shift", "Entropy"]) {
      expect(text.toLowerCase()).toContain(words.toLowerCase());
    }
    // It begins like the report, then come the curves, the skills and the episodes.
    const order = ["Result", "Task families", "Before and after", "Curves", "Skills", "Newest episodes"];
    const regions = await page
      .locator("main section[aria-label]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    expect(regions.filter((name) => order.includes(name ?? ""))).toEqual(order);
    // Tasks 2 to 5 of 8 are newly solved: 2 of 8 before, 6 of 8 after.
    expect(text).toContain("4 newly solved, 0 lost, 2 solved both times, 2 never");
    expect(await page.locator(".side-episode").count()).toBe(2);
    await page.keyboard.press("e");
    await page.waitForURL(/trajectories\?run=trained/);
    expect(faults).toEqual([]);
  });

  test("trajectories are filtered and sorted by the address", async () => {
    const { page, faults } = await bench.visit("#/trajectories?run=trained&outcome=failure&sort=steps&order=up");
    await page.locator("tbody tr").first().waitFor();
    expect(await page.locator("tbody .badge.good").count()).toBe(0);
    expect(await page.locator("[aria-sort=ascending]").textContent()).toContain("Steps");
    await page.getByLabel("Outcome").selectOption("success");
    await page.locator("tbody .badge.good").first().waitFor();
    await page.reload();
    await page.locator("tbody .badge.good").first().waitFor();
    expect(await page.locator("tbody .badge.bad").count()).toBe(0);
    await page.getByLabel("SQL").check();
    await page.getByRole("textbox").fill("select run, id, 6 * 7 as answer from trajectories where run = 'long'");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("cell", { name: "42" }).waitFor();
    await page.getByRole("link", { name: "marathon" }).click();
    await page.waitForURL(/runs\/long\/trajectory\/marathon/);
    expect(faults).toEqual([]);
  });

  test("words have the colour of their advantage, and tell how it was composed", async () => {
    const { page, faults } = await bench.visit(EPISODE);
    const word = (at: number) => page.locator(".tokens").first().locator(`[data-token="${at}"]`);
    const colour = (at: number): Promise<string> =>
      page.evaluate(`document.querySelector('.tokens [data-token="${at}"]').style.backgroundColor`);
    await word(1).waitFor();
    // Advantages of a success are 0.5, 0.25, 0.5, …; full colour is 55 % at 0.5.
    expect(await colour(0)).toBe("color-mix(in oklab, var(--more) 55%, transparent)");
    expect(await colour(1)).toBe("color-mix(in oklab, var(--more) 27.5%, transparent)");
    await word(0).focus();
    await page.keyboard.press("ArrowRight");
    const readout = page.getByRole("tooltip");
    // 1 × 0.375 + 0.5 × −0.25 = 0.25.
    for (const words of ["+0.250", "outcome", "+0.375", "teacher", "−0.125", "0.50 × −0.250", "36.8 %"]) {
      expect(await readout.textContent()).toContain(words);
    }
    await page.keyboard.press("c");
    expect(page.url()).toContain("colour=teacher");
    // Shifts are −0.1, 0, 0.1, …
    await expect.poll(() => colour(0), SOON).toContain("var(--less)");
    expect(await colour(1)).toBe("transparent");
    expect(await colour(2)).toContain("var(--more)");
    await page.goto(`${bench.studio.url}/${FAILED}`);
    await page.locator(".badge.bad").first().waitFor();
    await expect.poll(() => colour(0), SOON).toBe("color-mix(in oklab, var(--less) 55%, transparent)");
    expect(faults).toEqual([]);
  });

  test("skills stand at their step with their evidence, and siblings beside each other", async () => {
    const { page, faults } = await bench.visit(`${EPISODE}?step=1`);
    const skill = page.locator(".step.held .skill-note");
    await skill.locator("summary").click();
    expect(await skill.textContent()).toContain("The mug is in sight: take it.");
    expect(await skill.getByRole("link", { name: "step 1" }).getAttribute("href")).toContain("6%2Ftrain%2F0?step=1");
    await page
      .locator(".step.held")
      .getByRole("button", { name: /episodes stood here/ })
      .click();
    await page.locator(".decisions li").nth(2).waitFor();
    expect(await page.locator(".decisions li.own").count()).toBe(1);
    await page.locator(".sibling", { hasText: "not solved" }).click();
    await page.locator(".parting-line").waitFor();
    expect(await page.locator(".pair.parting").textContent()).toContain("take mug 1 from shelf 1");
    expect(await page.locator(".pair.shared").count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.locator(".outline").waitFor();
    expect(faults).toEqual([]);
  });

  test("a tree leads to its trajectories", async () => {
    const { page, faults } = await bench.visit("#/runs/forest/tree");
    await page.locator(".rollouts a").first().click();
    await page.locator(".stretch").nth(3).waitFor();
    const boxes = (await page.locator(".stretch").allTextContents()).join(" | ");
    for (const words of ["start×3 · 1 solved", "go north", "open door", "go south"]) expect(boxes).toContain(words);
    await page.getByRole("link", { name: /^open door/ }).click();
    await page.waitForURL(/trajectory\/branch\?step=1/);
    expect(await page.locator(".step.held").textContent()).toContain("open door");
    expect(faults).toEqual([]);
  });

  test("two thousand steps scroll, with few of them drawn", async () => {
    const { page, faults } = await bench.visit("#/runs/long/trajectory/marathon");
    await page.locator(".conversation .step").first().waitFor();
    const drawn = (): Promise<number> => page.evaluate("document.querySelectorAll('.step').length");
    expect(await drawn()).toBeLessThan(40);
    await page.goto(`${bench.studio.url}/#/runs/long/trajectory/marathon?step=${LONG_STEPS - 1}`);
    await page.locator(".step.held .seen", { hasText: `see ${LONG_STEPS - 1}` }).waitFor();
    expect(await page.evaluate("document.querySelector('.step.held').getBoundingClientRect().top < innerHeight")).toBe(
      true,
    );
    await page.keyboard.press("p");
    await page.locator(".step.held .seen", { hasText: `see ${LONG_STEPS - 2}` }).waitFor();
    expect(await drawn()).toBeLessThan(40);
    expect(faults).toEqual([]);
  });

  test("skills of a run are listed; those of the library can be decided on where writing is allowed", async () => {
    const { page, faults } = await bench.open("#/skills?source=run&run=trained");
    await page.locator("tbody tr").nth(2).waitFor();
    expect(await page.locator("tbody").textContent()).toContain("The mug is in sight: take it.");
    await page.goto(`${bench.studio.url}/#/skills?id=look-first`);
    await page.getByText("limbeck studio --write").waitFor();
    expect(await page.getByRole("button", { name: "promote" }).count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
    const writable = await bench.serve({ write: true });
    const second = await bench.open("#/skills?id=look-first", { studio: writable });
    await second.page.getByLabel("Who decides").fill("Ada");
    await second.page.getByLabel("Why").fill("It helped twice.");
    await second.page.getByRole("button", { name: "promote" }).click();
    await second.page.locator(".history li").waitFor();
    expect(await second.page.locator(".history").textContent()).toMatch(
      /Ada: promote \(candidate → promoted\)It helped/,
    );
    expect(second.faults).toEqual([]);
    await second.page.context().close();
  });

  test("an arena has its table, curves and pairs", async () => {
    const { page, faults } = await bench.visit("#/arena");
    await page.getByRole("link", { name: "spring" }).click();
    await page.locator("svg.plot").waitFor();
    const text = (await page.locator("main").textContent()) ?? "";
    for (const words of ["First: opid", "opid − grpo", "+0.250 [", "told apart", "12,000", "One seed was repeated"])
      expect(text).toContain(words);
    expect(faults).toEqual([]);
  });

  test("a world is played by hand, beside the policy, and forks", async () => {
    const { page, faults } = await bench.visit("#/play");
    await page.getByLabel("World").selectOption("household");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.locator(".action .number").first().waitFor();
    expect(await page.locator(".action .number").first().textContent()).toMatch(/%$/);
    await page.keyboard.press("1");
    await expect.poll(() => page.locator(".places li").count(), SOON).toBe(2);
    await page.keyboard.press("u");
    await page.locator(".places [aria-current]", { hasText: "start" }).waitFor();
    await page.locator(".action").first().waitFor();
    await page.keyboard.press("2");
    await expect.poll(() => page.locator(".places li").count(), SOON).toBe(3);
    expect(faults).toEqual([]);
  });

  test("a training is followed while it learns, without a reload", async () => {
    const { page, faults } = await bench.visit("#/runs");
    await page.locator("tbody tr").first().waitFor();
    await page.evaluate("window.marked = true");
    const training = train(join(bench.root, "live"));
    await page.getByRole("link", { name: "live", exact: true }).click({ timeout: 60_000 });
    await page.getByRole("heading", { name: "live" }).waitFor();
    await expect.poll(() => page.getByTestId("updates-done").textContent(), { timeout: 60_000 }).toBe("8");
    await page.locator(".page-head .badge", { hasText: "finished" }).waitFor({ timeout: 60_000 });
    await page.getByText(/\d+ episodes? while you watch/).waitFor();
    await page.locator("svg.plot").first().waitFor();
    expect(await page.evaluate("window.marked")).toBe(true);
    expect(await training).toBe(0);
    expect(faults).toEqual([]);
  }, 120_000);
});

/**
 * Eight small updates of the bundled model in a process of their own: long enough for a slow page to come while episodes
 * are still played. Resolves to its exit code.
 */
function train(folder: string): Promise<number | null> {
  const root = join(import.meta.dirname, "../..");
  const small = ["--steps", "8", "--set", "tasks=1", "--set", "group=2", "--set", "maxSteps=4", "--threads", "1"];
  const quick = ["--report-tasks", "2", "--validate-every", "0", "--checkpoint-every", "10", "--quiet"];
  const words = [COMMAND_LINE, "train", "--recipe", "grpo", ...small, ...quick, "--dir", folder];
  const child = spawn(process.execPath, words, { cwd: root, stdio: "ignore" });
  return new Promise((resolve, reject) => child.once("error", reject).once("exit", resolve));
}
