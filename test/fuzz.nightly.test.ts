/** A short run of `npm run fuzz`, and every input that ever failed, again. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRng } from "../packages/base/src/base/rng.ts";
import { fuzz, replay } from "./fuzz/fuzz.ts";
import { mutated } from "./fuzz/mutate.ts";
import { targets } from "./fuzz/targets/index.ts";

/** Their seeds do not pass the first check yet, so what lies behind it is not reached. */
const SHALLOW = ["tune", "shop-items", "store-commit"];
/** `npm run fuzz` tries more. */
const CASES = 20;
const FAILED = join(import.meta.dirname, "fuzz-corpus", "failed");

test(
  "twenty damaged inputs of every parser: no crash, no hang, no error without a code, no leak",
  { timeout: 900_000 },
  async () => {
    const { counts, failures } = await fuzz({ targets: Object.keys(targets), seed: 1, seconds: 800, cases: CASES });
    expect(failures.map(({ target, index, kind, message }) => `${target} ${index} ${kind}: ${message}`)).toEqual([]);
    for (const [name, { cases, read }] of counts) {
      // The seeds themselves can be read, or nothing was tried but the first check.
      expect([name, cases, read > 0 || SHALLOW.includes(name)]).toEqual([name, CASES, true]);
    }
  },
);

test("inputs that failed once", { timeout: 900_000 }, async () => {
  const again: string[] = [];
  for (const target of await readdir(FAILED)) {
    for (const file of await readdir(join(FAILED, target))) {
      const name = file.slice(file.indexOf("@") + 1).replaceAll("+", "/");
      const failure = await replay(target, { name, bytes: await readFile(join(FAILED, target, file)) });
      if (failure !== undefined) again.push(`${target}/${file}: ${failure.message}`);
    }
  }
  expect(again).toEqual([]);
});

test("the same seed damages in the same way, and no planted secret is torn apart", { timeout: 120_000 }, () => {
  const secret = `sk-ant-${"api03-Zz9".repeat(5)}`;
  const bytes = Buffer.from(JSON.stringify({ a: [1, 2, { text: `the key ${secret} of ann` }], b: "x".repeat(40) }));
  const keeps = { keepsSecrets: true, isJson: false };
  const different = new Set<string>();
  for (let number = 0; number < 100; number += 1) {
    const [one, other] = [1, 2].map(() => mutated(bytes, createRng(`seed ${number}`), [bytes], keeps));
    expect(one).toEqual(other);
    const text = (one as Buffer).toString("latin1");
    expect(text.includes(secret.slice(15, 35)) && !text.includes(secret)).toBe(false);
    different.add(text);
  }
  expect(different.size).toBeGreaterThan(60);
});
