/** Tags, notes, pins and the archive, in a real browser. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, NEEDS_BROWSER } from "../support/browser.ts";
import { openStudioBench, type StudioBench } from "../support/studio-bench.ts";
import { HOSTILE } from "../support/trained-run.ts";

describe.skipIf(browserPath === undefined)(`labels in a browser (${NEEDS_BROWSER})`, () => {
  let bench: StudioBench;
  beforeAll(async () => {
    bench = await openStudioBench();
  }, 180_000);
  afterAll(() => bench.close());

  test("a run is tagged, noted and pinned; it is found by its tag, and a restart forgets nothing", async () => {
    const studio = await bench.serve({ write: true });
    const { page, faults } = await bench.open("#/runs/trained", { studio });
    await page.getByRole("button", { name: "Pin" }).click();
    await page.getByText("★ pinned").waitFor();
    await page.getByRole("button", { name: "Tags and note" }).click();
    await page.getByLabel("Tags, with commas").fill("paper, best,paper");
    await page.getByLabel("Note", { exact: true }).fill(`The one to show. ${HOSTILE}`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".run-note", { hasText: "The one to show." }).waitFor();
    expect(await page.locator(".run-labels .tag").allTextContents()).toEqual(["best", "paper"]);
    await page.locator(".run-labels .tag", { hasText: "paper" }).click();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    expect(page.url()).toContain("#/runs?tag=paper");
    await page.context().close();
    const again = await bench.open("#/runs", { studio: await bench.serve() });
    // Pinned ones stand first, whatever is newer.
    await again.page.locator("tbody tr").first().locator(".tag").first().waitFor();
    expect(await again.page.locator("tbody tr").first().textContent()).toContain("The one to show.");
    expect([...faults, ...again.faults]).toEqual([]);
    await again.page.context().close();
  });

  test("an archived run is out of the list and not out of reach", async () => {
    const studio = await bench.serve({ write: true });
    const { page, faults } = await bench.open("#/runs", { studio });
    await page.locator("tbody tr").nth(1).waitFor();
    const all = await page.locator("tbody tr").count();
    await page.getByRole("link", { name: "second", exact: true }).click();
    await page.getByRole("button", { name: "Archive" }).click();
    await page.getByText("archived", { exact: true }).waitFor();
    await page.goBack();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(all - 1);
    await page.getByLabel("archived runs (1)").check();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    expect(page.url()).toContain("archived=only");
    await page.getByRole("link", { name: "second", exact: true }).click();
    await page.getByRole("button", { name: "Bring back" }).click();
    await page.getByRole("button", { name: "Archive" }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("of two who change the same, the second is told, and sees what the first said", async () => {
    const studio = await bench.serve({ write: true });
    const open = (): ReturnType<StudioBench["open"]> => bench.open("#/runs/second", { studio });
    const [one, other] = [await open(), await open()];
    for (const { page } of [one, other]) await page.getByRole("button", { name: "Tags and note" }).click();
    await one.page.getByLabel("Note", { exact: true }).fill("first");
    await other.page.getByLabel("Note", { exact: true }).fill("second");
    await one.page.getByRole("button", { name: "Save" }).click();
    await one.page.locator(".run-note", { hasText: "first" }).waitFor();
    await other.page.getByRole("button", { name: "Save" }).click();
    const outcome = other.page.locator(".run-labels [role=alert], .run-note");
    await outcome.first().waitFor();
    expect(await other.page.locator(".run-labels").textContent()).toContain("labels-changed");
    // What was typed is not lost; saved again, it is heard.
    expect(await other.page.getByLabel("Note", { exact: true }).inputValue()).toBe("second");
    await other.page.getByRole("button", { name: "Save" }).click();
    await other.page.locator(".run-note", { hasText: "second" }).waitFor();
    for (const { page, faults } of [one, other]) {
      expect(faults).toEqual([]);
      await page.context().close();
    }
  });
});
