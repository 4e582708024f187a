import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { train } from "./train.ts";

const newFolder = temporaryFolders();

/** One update of the bundled model on two threads; the digest of its parameters and how far they were moved. */
async function trained(dir: string): Promise<{ readonly digest: string | undefined; readonly norm: number }> {
  const run = train({
    recipe: "grpo",
    env: "household",
    envOptions: { dial: "tiny" },
    steps: 1,
    threads: 2,
    // Entropy is learned from every episode, those that earn nothing too.
    settings: { tasks: 2, group: 4, maxSteps: 3, entropyWeight: 0.01 },
    validation: { every: 0 },
    report: { tasks: 0 },
    dir,
  });
  let norm = 0;
  for await (const event of run) if (event.kind === "update") norm = event.metrics["gradientNorm"] as number;
  return { digest: (await run).digest, norm };
}

test("two trainings with the same seed on two threads end with the same parameters, bit for bit", async () => {
  const root = await newFolder();
  const first = await trained(join(root, "first"));
  expect(first.norm).toBeGreaterThan(0);
  expect(first.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(await trained(join(root, "second"))).toEqual(first);
});
