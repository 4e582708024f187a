/** Traces of anyone's agent, and the queue in which people judge them, in a real browser. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import { browserPath, NEEDS_BROWSER } from "../support/browser.ts";
import { limbeck } from "../support/fake-io.ts";
import { openStudioBench, type StudioBench } from "../support/studio-bench.ts";

const ROOT = join(import.meta.dirname, "../..");
const SESSION = "2a580003-04bb-4ee9-bd9c-8f4a0eca8b4f";
const TRACE = `#/runs/session/trajectory/${SESSION}`;

describe.skipIf(browserPath === undefined)(`traces and judging in a browser (${NEEDS_BROWSER})`, () => {
  let bench: StudioBench;
  beforeAll(async () => {
    bench = await openStudioBench();
    const session = join(ROOT, "test/samples/sessions/claude-code/-home-ann-sum", `${SESSION}.jsonl`);
    for (const words of [
      ["import", join(ROOT, "examples/bookshop-agent.jsonl"), "--run", "books"],
      ["import", "--from", "claude-code", session, "--run", "session"],
    ]) {
      const { code, err } = await limbeck([...words, "--store", bench.root], { cwd: ROOT });
      if (code !== 0) throw new Error(err);
    }
  }, 180_000);
  afterAll(() => bench.close());

  test("a call stands once, folded; a failed one is marked; unknown is not zero", async () => {
    const { page, faults } = await bench.open(TRACE);
    const first = page.locator(".step").first();
    await first.locator(".call").waitFor();
    expect(await first.locator(".call").count()).toBe(1);
    // The command once in the line of the call and once in what unfolds; not a second time as the text of the action.
    expect(((await first.textContent()) ?? "").split("node test.js").length - 1).toBe(2);
    expect(await first.locator(".call .inert").isVisible()).toBe(false);
    await first.locator(".call summary").click();
    expect(await first.locator(".call .inert").isVisible()).toBe(true);
    const second = page.locator(".step").nth(1);
    expect(await second.locator(".call.result .badge.bad").textContent()).toBe("error");
    expect(await second.locator(".step-head").textContent()).toContain("a tool failed");
    const facts = (await page.locator("dl.facts").textContent()) ?? "";
    expect(facts).toContain("Tokens168 sampled");
    expect(facts).toContain("Paidunknown");
    // Nothing could be coloured, and a world's split would say nothing.
    expect(await page.getByText("Colour by").count()).toBe(0);
    expect(facts).not.toContain("train");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("words are searched inside a trace, and lead to their step", async () => {
    const { page, faults } = await bench.open(TRACE);
    await page.getByLabel("Search in this episode").fill("passed");
    await page.getByText("in 1 step").waitFor();
    await page.locator(".hits button").click();
    await page.locator(".step.held", { hasText: "passed" }).waitFor();
    expect(page.url()).toContain("find=passed");
    await page.getByLabel("Search in this episode").fill("no such words");
    await page.getByText("nowhere").waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("a queue of unjudged episodes is worked off by keys, and becomes rewards", async () => {
    const studio = await bench.serve({ write: true });
    const { page, faults } = await bench.open("#/judge?run=books", { studio });
    await page.getByText("4 episodes wait.").waitFor();
    await page.getByRole("link", { name: "Begin" }).click();
    await page.getByLabel("Who judges").fill("Ada");
    await page.getByLabel("Comment").fill("It looked the order up first. <b>Good</b>");
    const judged = async (work: () => Promise<void>): Promise<void> => {
      const before = page.url();
      await work();
      await expect.poll(() => page.url()).not.toBe(before);
      await page.getByRole("button", { name: /^Pass/ }).waitFor();
    };
    await judged(() => page.getByRole("button", { name: /^Pass/ }).click());
    await page.getByRole("button", { name: /^Skip/ }).focus();
    await judged(() => page.keyboard.press("x"));
    await page.getByRole("link", { name: "‹ queue" }).click();
    await page.getByText("2 episodes wait.").waitFor();
    const store = openStore(bench.root);
    const said = await store.query(
      "select name, source, value, comment from rewards where source = 'Ada' order by name, value",
      { run: "books" },
    );
    await store.close();
    const values = said.rows.filter(([name]) => name === "success").map(([, , value]) => value);
    expect(values).toEqual([0, 1]);
    expect(JSON.stringify(said.rows)).toContain("<b>Good</b>");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("who may only read is told how to judge", async () => {
    const { page, faults } = await bench.open("#/judge");
    await page.locator(".note", { hasText: "limbeck studio --write" }).waitFor();
    await page.getByRole("link", { name: "Begin" }).click();
    await page.locator(".note", { hasText: "limbeck feedback" }).waitFor();
    expect(await page.getByRole("button", { name: /^Pass/ }).count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
