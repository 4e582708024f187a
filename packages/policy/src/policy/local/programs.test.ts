import { expect, test } from "vitest";
import { input, type Tensor } from "../../graph/tensor.ts";
import { ops } from "../../graph/build.ts";
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

test("a large program that comes makes the large one of before go, not the small ones that are unused for longer", async () => {
  // Three nodes of 10,000 bytes each, and 12 bytes an element: 31,200 of the small ones, 150,000 of the large.
  const programs = createPrograms({ threads: 1 }, { bytes: 250_000 });
  const built: string[] = [];
  const run = async (name: string, size: number, frugal = false): Promise<void> => {
    const build = () => {
      built.push(name);
      return graph(size)();
    };
    const program = await programs.get(name, build, { frugal });
    await program.run({ x: new Float32Array(size) });
  };
  for (const name of ["a", "b", "c"]) await run(name, 100);
  await run("large", 10_000);
  // 93,600 + 150,000 + 150,000 is too much by one of the large.
  await run("other", 10_000);
  for (const name of ["a", "b", "c"]) await run(name, 100);
  expect([built, programs.count]).toEqual([["a", "b", "c", "large", "other"], 4]);
  // One that gives its memory back holds its nodes alone: 30,000.
  for (const name of ["d", "e"]) await run(name, 10_000, true);
  expect([built.length, programs.count]).toEqual([7, 5]);
  await programs.close();
});
