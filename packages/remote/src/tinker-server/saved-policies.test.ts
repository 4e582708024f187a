import { expect, test } from "vitest";
import type { LocalPolicy } from "limbeck-policy/policy/local/local-policy";
import { createSavedPolicies } from "./kept-conversations.ts";

function bench() {
  const log: string[] = [];
  const saved = createSavedPolicies((path) => {
    log.push(`open ${path}`);
    if (path === "bad") return Promise.reject(new Error("broken"));
    const close = (): Promise<void> => Promise.resolve(void log.push(`close ${path}`));
    return Promise.resolve({ close } as unknown as LocalPolicy);
  }, 0);
  return { log, saved, say: (path: string) => saved.use(path, () => Promise.resolve(path)) };
}

test("a version is opened once for all who ask at the same time and later", async () => {
  const { log, saved, say } = bench();
  expect(await Promise.all([say("a"), say("a"), say("a")])).toEqual(["a", "a", "a"]);
  await say("a");
  expect(log).toEqual(["open a"]);
  await saved.close();
  expect(log).toEqual(["open a", "close a"]);
});

test("two stay open; the one that was not used for longest is closed, but not under who uses it", async () => {
  const { log, saved, say } = bench();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const slow = saved.use("a", () => held);
  await say("b");
  await say("c");
  expect(log).toEqual(["open a", "open b", "open c"]);
  release();
  await slow;
  expect(log).toEqual(["open a", "open b", "open c", "close a"]);
});

test("what could not be opened is tried again", async () => {
  const { log, say } = bench();
  await expect(say("bad")).rejects.toThrow("broken");
  await expect(say("bad")).rejects.toThrow("broken");
  expect(log).toEqual(["open bad", "open bad"]);
});
