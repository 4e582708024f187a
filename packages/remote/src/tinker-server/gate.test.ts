import { expect, test } from "vitest";
import { createGate } from "./training-run.ts";

test("readers share, who changes is alone, and nobody overtakes", async () => {
  const gate = createGate();
  const log: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const reading = [1, 2].map((name) =>
    gate.read(async () => {
      log.push(`read ${name}`);
      await held;
    }),
  );
  const writing = gate.write(() => Promise.resolve(void log.push("write")));
  const late = gate.read(() => Promise.resolve(void log.push("late")));
  await Promise.resolve();
  expect(log).toEqual(["read 1", "read 2"]);
  release();
  await Promise.all([...reading, writing, late]);
  expect(log).toEqual(["read 1", "read 2", "write", "late"]);
});

test("a failure lets the next one in", async () => {
  const gate = createGate();
  await expect(gate.write(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await gate.read(() => Promise.resolve(1))).toBe(1);
});
