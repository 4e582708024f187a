import { expect, test } from "vitest";
import { input, ops, type Tensor } from "../../graph/index.ts";
import { createPrograms } from "./programs.ts";

/** exp(exp(x)): both results are alive at the end, 8 bytes for each element. */
const graph = (size: number) => (): Record<string, Tensor> => ({
  y: ops.exp(ops.exp(input("x", "float32", [size]))),
});

test("each shape is compiled once; beyond the memory the one unused for longest goes, and comes back when wanted", async () => {
  const programs = createPrograms({ threads: 1 }, { bytes: 60_000 });
  let built = 0;
  const get = (size: number) =>
    programs.get(String(size), () => {
      built += 1;
      return graph(size)();
    });
  const [first, again] = await Promise.all([get(100), get(100)]);
  expect([built, programs.count]).toEqual([1, 1]);
  const run = async (program: Awaited<ReturnType<typeof get>>, size: number): Promise<number | undefined> =>
    Number((await program.run({ x: new Float32Array(size) }))["y"]?.[0]);
  expect(await run(again, 100)).toBeCloseTo(Math.E, 5);
  // Three nodes of 10,000 bytes each, and 1.5 times 800 and 1,600 bytes: 31,200 + 32,400 is more than 60,000.
  expect(await run(await get(200), 200)).toBeCloseTo(Math.E, 5);
  expect([built, programs.count]).toEqual([2, 1]);
  // A program that was given up meanwhile still runs for whoever holds it.
  expect(await run(first, 100)).toBeCloseTo(Math.E, 5);
  expect([built, programs.count]).toEqual([3, 1]);
  expect(programs.made.programs).toBe(3);
  expect(programs.made.milliseconds).toBeGreaterThan(0);
  await programs.close();
});
