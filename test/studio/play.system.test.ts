/** Play in a real browser: every world beside the model that was made for it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, NEEDS_BROWSER } from "../support/browser.ts";
import { openStudioBench, type StudioBench } from "../support/studio-bench.ts";

describe.skipIf(browserPath === undefined)(`play in a browser (${NEEDS_BROWSER})`, () => {
  let bench: StudioBench;
  beforeAll(async () => {
    bench = await openStudioBench();
  }, 120_000);
  afterAll(() => bench.close());

  test("household is the first world; what was seen stays in sight, actions have numbers, and a step is undone", async () => {
    const { page, faults } = await bench.open("#/play");
    await page.getByLabel("World").waitFor();
    expect(await page.getByLabel("World").inputValue()).toBe("household");
    expect(await page.getByLabel("Policy beside you").inputValue()).toBe("bundled:household");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    const start = (await page.locator(".way .seen").textContent()) ?? "";
    await page.locator(".action .number").first().waitFor();
    const numbers = await page.locator(".action .key").allTextContents();
    expect(numbers.map(Number).sort((left, right) => left - right)).toEqual(numbers.map((_, at) => at + 1));
    const second = await page.locator(".action", { has: page.locator(".key", { hasText: /^2$/ }) }).textContent();
    await page.getByLabel("Your own words").fill("2");
    await page.getByRole("button", { name: "Do it" }).click();
    const past = page.getByRole("list", { name: "What was seen and done before" });
    await past.waitFor();
    expect(await past.textContent()).toContain(start.trim().slice(0, 60));
    const done = (await past.locator("b").textContent()) ?? "nothing";
    expect(second).toContain(done);
    await page.getByRole("button", { name: "What would the expert do?" }).click();
    await page.getByText(/The expert would:/).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => past.count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test.each(["shop", "research", "tools", "countdown"])(
    "%s is played beside its own model",
    async (world) => {
      const { page, faults } = await bench.open("#/play");
      await page.getByLabel("World").selectOption(world);
      await expect.poll(() => page.getByLabel("Policy beside you").inputValue()).toBe(`bundled:${world}`);
      expect(page.url()).toContain(`env=${world}`);
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await page.getByText(/It would say/).waitFor({ timeout: 40_000 });
      await page.getByRole("button", { name: "What would the expert do?" }).click();
      await page.locator("p[role=status] button").click();
      await page.getByRole("list", { name: "What was seen and done before" }).waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    },
    60_000,
  );

  test("a world without a model says so", async () => {
    const { page, faults } = await bench.open("#/play?env=archive");
    // As where the package of further models is not installed.
    await page.route("**/api/play", async (route) => {
      const response = await route.fetch();
      const menu = (await response.json()) as { readonly policies: readonly { readonly id: string }[] };
      const policies = menu.policies.filter(({ id }) => id !== "bundled:archive");
      await route.fulfill({ response, json: { ...menu, policies } });
    });
    await page.reload();
    await page.getByText("No model comes with this world").waitFor();
    expect(await page.getByLabel("Policy beside you").inputValue()).toBe("nobody");
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
