import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testGoal, testProduct } from "../../../../test/support/shop.ts";
import { tries } from "../../../../test/support/thorough.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { HOSTILE_ACTIONS } from "limbeck-core/env/check-play";
import { envContract } from "limbeck-core/env/env.contract";
import type { Episode } from "limbeck-core/env/env";
import { shop } from "./index.ts";
import { createCatalogue, type Product } from "./product.ts";
import { createShop, parseAction, type ShopOptions, shopPresets } from "./shop.ts";

envContract({
  name: "shop",
  env: () => shop.create({ products: 200, preset: "webshop" }),
  runner: { describe, test },
  runs: tries(5, 25),
});
envContract({
  name: "shop, OPID's preset",
  env: () => shop.create({ products: 60, seed: 2, preset: "opid" }),
  runner: { describe, test },
  runs: tries(2, 8),
});

test("hostile words in a search or click form are answered on every kind of page", async () => {
  const env = await shop.create({ products: 50, preset: "webshop" });
  const [task] = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const episode = await env.open(task!);
  const asin = (await episode.step("search[tea shoes lamp oil]")).observation.match(/B0\w{8}/)![0];
  const pages = [await env.open(task!), episode, await episode.fork(), await episode.fork()];
  await pages[2]!.step(`click[${asin}]`);
  await pages[3]!.step(`click[${asin}]`);
  await pages[3]!.step("click[features]");
  for (const page of pages) {
    for (const text of HOSTILE_ACTIONS) {
      const fork = await page.fork();
      expect((await fork.step(`click[${text}]`)).valid).toBe(false);
      const result = await (await page.fork()).step(`search[${text}]`);
      expect(result.observation).not.toContain("\u001b");
    }
  }
});

test("thousands of open episodes share all but their place", async () => {
  const env = await shop.create({ products: 100, preset: "webshop" });
  const [task] = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const before = process.memoryUsage().heapUsed;
  const episodes = await Promise.all(
    Array.from({ length: tries(2_000, 10_000) }, async () => {
      const episode = await env.open(task!);
      await episode.step("search[tea]");
      return episode;
    }),
  );
  const bytesEach = (process.memoryUsage().heapUsed - before) / episodes.length;
  // 2 GB for 10,000 would be 200,000 bytes each; garbage of the steps is counted here too.
  expect(bytesEach).toBeLessThan(50_000);
  expect(episodes.every(({ ending }) => ending === undefined)).toBe(true);
});

const nouns = (title: string): string[] => title.toLowerCase().split(" ");

async function openShop(products: readonly Product[], options: Partial<ShopOptions> = {}): Promise<Episode> {
  const env = createShop({ catalogue: createCatalogue(products), goals: [testGoal()], nouns, ...options });
  const [task] = [...(env.tasks("train") as Iterable<Parameters<typeof env.open>[0]>)];
  return env.open(task!);
}

async function play(episode: Episode, ...actions: string[]): Promise<string> {
  for (const action of actions) expect([action, (await episode.step(action)).valid]).toEqual([action, true]);
  return episode.observation;
}

const HEAD = "Instruction: [SEP] Get me a dimmable desk lamp [SEP]";

describe("pages", () => {
  test("each page shows its strings in order", async () => {
    const episode = await openShop([testProduct()]);
    expect(episode.observation).toBe(`WebShop [SEP] ${HEAD} Search`);
    expect(await play(episode, "search[lamp]")).toBe(
      `${HEAD} Back to Search [SEP] Page 1 (Total results: 1) [SEP] Next > [SEP] B000000001 [SEP] oak desk lamp [SEP] $40.0`,
    );
    expect(await play(episode, "click[b000000001]")).toBe(
      `${HEAD} Back to Search [SEP] < Prev [SEP] color [SEP] black [SEP] white [SEP] navy blue [SEP] size [SEP] small [SEP] tall [SEP] oak desk lamp [SEP] Price: $40.0 [SEP] Rating: 4.5 [SEP] Description [SEP] Features [SEP] Reviews [SEP] Buy Now`,
    );
    expect(await play(episode, "click[description]")).toBe(
      `${HEAD} Back to Search [SEP] < Prev [SEP] A lamp for small desks.`,
    );
    expect(await play(episode, "click[< prev]", "click[features]")).toBe(
      `${HEAD} Back to Search [SEP] < Prev [SEP] Warm white bulb [SEP] Two year promise`,
    );
    expect(await play(episode, "click[< prev]", "click[reviews]")).toBe(
      `${HEAD} Back to Search [SEP] < Prev [SEP] "Nice" [SEP] 5.0 [SEP] Bright enough.`,
    );
  });

  test("OPID's form drops what stands before the instruction's end and quotes the rest", async () => {
    const episode = await openShop([testProduct()], { ...shopPresets.opid });
    expect(episode.observation).toBe("'Search'");
    expect(await play(episode, "search[lamp]")).toBe(
      "'Back to Search' [SEP] 'Page 1 (Total results: 1)' [SEP] 'Next >' [SEP] 'B000000001' [SEP] 'oak desk lamp' [SEP] '$40.0'",
    );
  });

  test("the brief form has a string a line and says the instruction on the opening page only", async () => {
    const episode = await openShop([testProduct()], { ...shopPresets.brief });
    expect(episode.observation).toBe("WebShop\nInstruction:\nGet me a dimmable desk lamp\nSearch");
    expect(await play(episode, "search[lamp]")).toBe(
      "Back to Search\nPage 1 (Total results: 1)\nNext >\nB000000001\noak desk lamp\n$40.0",
    );
    expect(await play(episode, "click[b000000001]", "click[black]", "click[buy now]")).toBe(
      "Order placed\nB000000001\nblack",
    );
  });

  test("as many products stand on a page as told", async () => {
    const products = [1, 2, 3, 4, 5].map((at) => ({ ...testProduct(), asin: `B00000000${at}` }));
    const episode = await openShop(products, { perPage: 2 });
    const shown = (text: string): number => text.match(/B0\d{8}/g)?.length ?? 0;
    expect(shown(await play(episode, "search[lamp]"))).toBe(2);
    expect(shown(await play(episode, "click[next >]", "click[next >]"))).toBe(1);
    expect(() => createShop({ catalogue: createCatalogue(products), goals: [], perPage: 0 })).toThrow(
      "0 products a page",
    );
  });

  test("the list holds the search form on the first page only, and one click per label", async () => {
    const episode = await openShop([testProduct()]);
    expect(episode.admissible()).toEqual(["search[<your query>]"]);
    await play(episode, "search[lamp]");
    expect(episode.admissible()).toEqual(["click[back to search]", "click[next >]", "click[b000000001]"]);
    await play(episode, "click[B000000001]");
    expect(episode.admissible()).toEqual(
      [
        "back to search",
        "< prev",
        "description",
        "features",
        "reviews",
        "buy now",
        "black",
        "white",
        "navy blue",
        "small",
        "tall",
      ].map((label) => `click[${label}]`),
    );
    await play(episode, "click[features]");
    expect(episode.admissible()).toEqual(["click[back to search]", "click[< prev]"]);
  });

  test("results come ten a page, Prev from page 2, Next without end", async () => {
    const products = Array.from({ length: 60 }, (_, at) => testProduct({ asin: `L${at}` }));
    const episode = await openShop(products);
    expect(await play(episode, "search[lamp]")).toContain("Page 1 (Total results: 50) [SEP] Next > [SEP] L0 [SEP]");
    expect((await episode.step("click[< prev]")).valid).toBe(false);
    expect((await episode.step("click[l10]")).valid).toBe(false);
    expect(await play(episode, "click[next >]")).toContain(
      "Page 2 (Total results: 50) [SEP] < Prev [SEP] Next > [SEP] L10 [SEP]",
    );
    await play(episode, "click[next >]", "click[next >]", "click[next >]");
    expect(await play(episode, "click[next >]")).toMatch(/Page 6 \(Total results: 50\) \[SEP\] < Prev \[SEP\] Next >$/);
    expect(await play(episode, "click[< prev]")).toContain("L49");
    // From an item, Prev leads back to the page of results it was found on.
    expect(await play(episode, "click[l41]", "click[< prev]")).toContain("Page 5 ");
  });
});

describe("actions", () => {
  test("a search is accepted on every page, a click only on what is there", async () => {
    const episode = await openShop([testProduct()]);
    for (const action of ["click[search]", "click[back to search]", "click[buy now]", "look"]) {
      expect(await episode.step(action)).toMatchObject({ valid: false, reward: { value: 0 } });
    }
    await play(episode, "search[lamp]", "search[desk]", "click[b000000001]", "search[oak]", "click[b000000001]");
    await play(episode, "click[reviews]", "search[<your query>]", "click[back to search]");
    expect(episode.observation).toBe(`WebShop [SEP] ${HEAD} Search`);
  });

  test("a choice stays through sub-pages, the last one of an option counts, and leaving the item forgets it", async () => {
    const episode = await openShop([testProduct()]);
    await play(
      episode,
      "search[lamp]",
      "click[b000000001]",
      "click[white]",
      "click[black]",
      "click[features]",
      "click[< prev]",
    );
    const fork = await episode.fork();
    await play(episode, "click[tall]", "click[buy now]");
    // 2 attributes, 2 options, the price: 5 / 5.
    expect(episode).toMatchObject({ reward: { value: 1 }, success: true, ending: "terminated" });
    expect(episode.observation).toBe("Order placed [SEP] B000000001 [SEP] black [SEP] tall");
    expect(episode.admissible()).toEqual([]);
    await play(fork, "click[< prev]", "click[b000000001]", "click[tall]", "click[buy now]");
    // The colour was forgotten: 4 / 5.
    expect(fork).toMatchObject({ reward: { value: 0.8 }, success: false, ending: "terminated" });
  });

  test("a value of two options belongs to the last, and button names win over values", async () => {
    const options = [
      { name: "color", values: ["black", "plain"] },
      { name: "style", values: ["plain", "description", "search"] },
    ];
    const episode = await openShop([testProduct({ options })]);
    await play(episode, "search[lamp]", "click[b000000001]", "click[black]", "click[plain]");
    expect((await episode.step("click[search]")).valid).toBe(false);
    expect(episode.admissible()).not.toContain("click[search]");
    expect(await play(episode, "click[description]")).toContain("A lamp for small desks.");
    await play(episode, "click[< prev]", "click[buy now]");
    expect(episode.observation).toBe("Order placed [SEP] B000000001 [SEP] black [SEP] plain");
  });
});

test("OPID's reward is 10 for a perfect purchase and 0 for a good one; the score is in the info", async () => {
  const buy = async (...choices: string[]): Promise<unknown> => {
    const episode = await openShop([testProduct()], { ...shopPresets.opid });
    await play(episode, "search[lamp]", "click[b000000001]", ...choices);
    return episode.step("click[buy now]");
  };
  expect(await buy("click[black]", "click[tall]")).toMatchObject({
    reward: { value: 10 },
    success: true,
    info: { score: 1 },
  });
  expect(await buy("click[black]")).toMatchObject({ reward: { value: 0 }, success: false, info: { score: 0.8 } });
});

test("an episode without a purchase is cut off after 15 steps with nothing", async () => {
  const episode = await openShop([testProduct()]);
  for (let step = 0; step < 15; step += 1) await episode.step("search[lamp]");
  expect(episode).toMatchObject({ ending: "truncated", success: false, reward: { value: 0 } });
  await expect(episode.step("search[lamp]")).rejects.toMatchObject({ code: "episode-ended" });
});

test("equal keys mean equal states: the way back and the choices are part of it", async () => {
  const keyAfter = async (...actions: string[]): Promise<string> => {
    const episode = await openShop([testProduct()]);
    await play(episode, ...actions);
    return episode.stateKey;
  };
  const item = ["search[lamp]", "click[b000000001]"];
  expect(await keyAfter(...item, "click[tall]", "click[black]")).toBe(
    await keyAfter(...item, "click[black]", "click[tall]"),
  );
  expect(await keyAfter(...item)).not.toBe(await keyAfter(...item, "click[tall]"));
  expect(await keyAfter(...item)).not.toBe(await keyAfter("search[oak]", "click[b000000001]"));
  expect((await keyAfter(`search[${"lamp ".repeat(20_000)}]`)).length).toBe(64);
});

test("a task of another shop is refused with a way out", async () => {
  const env = createShop({ catalogue: createCatalogue([testProduct()]), goals: [testGoal()], nouns });
  const task = { id: "x", env: "shop", seed: 0, goal: "something else", split: "train", data: { goal: 0 } };
  await expect(env.open(task)).rejects.toMatchObject({ code: "unknown-task" });
  expect(() => env.tasks("dev")).toThrow(/Known: test, train, valid/);
});

test("only the purchase cannot be taken back, and only where it can be made", async () => {
  const episode = await openShop([testProduct()]);
  expect(episode.irreversible?.("click[buy now]")).toBe(false);
  await play(episode, "search[lamp]", "click[b000000001]");
  const final = (episode.admissible() ?? []).filter((action) => episode.irreversible?.(action) === true);
  expect(final).toEqual(["click[buy now]"]);
  expect(episode.irreversible?.("click[Buy Now] please")).toBe(true);
  await play(episode, "click[buy now]");
  expect(episode.irreversible?.("click[buy now]")).toBe(false);
});

test.each([
  ["search[Red Shoes]", { verb: "search", argument: "red shoes" }],
  ["click[Buy Now] please", { verb: "click", argument: "buy now" }],
  ["click[< Prev]", { verb: "click", argument: "< prev" }],
  // The last "[" that leaves something before the last "]" begins the argument; here the verb is "search[a ".
  ["search[a [b] c]", undefined],
  ["search[a] b]", { verb: "search", argument: "a] b" }],
  // "[" directly before "]" leaves nothing, so the one before it is taken.
  ["click[[]", { verb: "click", argument: "[" }],
  ["search[ ]", { verb: "search", argument: " " }],
  ["search[]", undefined],
  ["[x]", undefined],
  ["Search[x]", undefined],
  ["go search[x]", undefined],
  ["search[a\nb]", undefined],
  ["search[a]\nclick[b]", { verb: "search", argument: "a" }],
  ["", undefined],
])("%j", (text, expected) => {
  expect(parseAction(text)).toEqual(expected);
});

test("agrees with the pattern of the original on short texts", () => {
  const character = fc.constantFrom("[", "]", "a", " ", "search", "click", "\n");
  fc.assert(
    fc.property(fc.array(character, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const match = /^([^\n]+)\[([^\n]+)\]/.exec(text);
      const verb = match?.[1];
      const expected =
        verb === "search" || verb === "click" ? { verb, argument: match?.[2]?.toLowerCase() } : undefined;
      expect(parseAction(text)).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});
