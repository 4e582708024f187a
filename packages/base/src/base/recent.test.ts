import { expect, test } from "vitest";
import { KeptOpen, Recent } from "./recent.ts";

test("the results used last are kept, of their version, and one that fails is asked for again", async () => {
  const made: string[] = [];
  const recent = new Recent<string>(2);
  const get = (key: string, version?: string): Promise<string> =>
    recent.get(key, () => Promise.resolve(`${made.push(key)}`), version);
  expect([await get("a"), await get("b"), await get("a"), await get("c"), await get("a"), await get("b")]).toEqual([
    "1",
    "2",
    "1",
    "3",
    "1",
    "4",
  ]);
  expect(await get("b", "newer")).toBe("5");
  await expect(recent.get("d", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await get("d")).toBe("6");
  expect(await recent.values()).toEqual(["5", "6"]);
});

test("what many use is opened once and closed after its last user", async () => {
  const log: string[] = [];
  const kept = new KeptOpen<string>(1, (value) => void log.push(`close ${value}`));
  const open = (name: string) => (): Promise<string> => {
    log.push(`open ${name}`);
    return Promise.resolve(name);
  };
  const first = await kept.lease("a", open("a"));
  await kept.use("a", open("a"), (value) => Promise.resolve(log.push(`use ${value}`)));
  await kept.use("b", open("b"), (value) => Promise.resolve(log.push(`use ${value}`)));
  expect(log).toEqual(["open a", "use a", "open b", "use b"]);
  await first.release();
  await kept.close();
  expect(log.slice(4)).toEqual(["close a", "close b"]);
  await expect(
    kept.use(
      "c",
      () => Promise.reject(new Error("no")),
      () => Promise.resolve(0),
    ),
  ).rejects.toThrow("no");
  expect(await kept.use("c", open("c"), (value) => Promise.resolve(value))).toBe("c");
});
