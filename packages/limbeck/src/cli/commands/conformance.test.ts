import { beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { testTrainer, type TestTrainer } from "../../../../../test/support/trainer.ts";

let trainer: TestTrainer;
beforeAll(async () => {
  trainer = await testTrainer();
});

const CASES = ["--case", "health", "--case", "checks-key", "--case", "unknown-future"];
const check = (...words: string[]) => limbeck(["conformance", "tinker", "--url", trainer.url, ...CASES, ...words]);

test("prints a table and whether it is green", async () => {
  const { code, out } = await check();
  expect(code).toBe(0);
  expect(out).toMatch(/checks-key\s+profile\s+lacks\s+any key is taken/);
  expect(out).toContain("Green: every required case passes. 2 cases of 3 pass, 0 differ, 1 are lacking.");
});

test("as JSON and as Markdown", async () => {
  const { objects } = await check("--json");
  expect(objects()[0]).toEqual({
    name: "health",
    title: 'healthz answers {status: "ok"}',
    kind: "required",
    outcome: "passes",
    note: "",
  });
  expect(objects().at(-1)).toEqual({ green: true, baseModel: "tiny", passes: 2, differs: 0, lacks: 1 });
  expect((await check("--markdown")).out).toContain("| `checks-key` | profile | lacks | any key is taken;");
});

test("an unknown protocol, an unknown case and a missing address are told", async () => {
  expect((await limbeck(["conformance", "tinkr", "--url", trainer.url])).err).toContain("tinker");
  expect((await check("--case", "helth")).err).toContain("health");
  expect((await limbeck(["conformance", "tinker"])).err).toContain("--url");
});
