import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtChild } from "../../../../../test/support/built-child.ts";
import { startChild } from "../../../../../test/support/kill-children.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { createRng, type Rng } from "limbeck-base/base/rng";

const STEPS = 40;
const KILLS = tries(3, 6);
const folder = temporaryFolders();
const program = builtChild("kill-trainer");

/** One life of the trainer; it is killed a random moment after a random step, or lives to the end. */
async function live(
  path: string,
  rng: Rng | undefined,
): Promise<{ lines: string[]; errors: string; signal: string | null }> {
  const child = startChild(program(), [path, String(STEPS), rng === undefined ? "" : "wait"]);
  const [after, delayMs] = [1 + (rng?.int(5) ?? 0), (rng?.float() ?? 0) * 12];
  child.lines.on("line", (line) => {
    if (rng === undefined || (child.said.length !== after && line !== "done")) return;
    setTimeout(() => child.process.kill("SIGKILL"), delayMs);
  });
  const signal = await child.ended;
  return { lines: child.said, errors: child.errors.join(""), signal };
}

async function bytesOf(path: string): Promise<Record<string, string>> {
  const names = (await readdir(path)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(path, name), "base64")])),
  );
}

test("a training that is killed again and again learns what the uninterrupted one learns, bit for bit", async () => {
  const root = await folder();
  const whole = await live(join(root, "whole"), undefined);
  expect(whole.errors).toBe("");
  expect(whole.lines).toHaveLength(STEPS + 1);
  const losses = whole.lines.slice(0, -1).map((line) => Number(line.split(" ")[1]));
  expect(losses.at(-1)).toBeLessThan((losses[0] as number) * 0.95);

  const path = join(root, "killed");
  for (let kill = 0; kill <= KILLS; kill += 1) {
    const { lines, errors, signal } = await live(path, kill < KILLS ? createRng("kills").split(kill) : undefined);
    expect([signal, errors]).toEqual([kill < KILLS ? "SIGKILL" : null, ""]);
    // A life repeats at most the step whose save did not come through, and repeats it exactly.
    for (const line of lines.filter((said) => said !== "done")) {
      expect(line).toBe(whole.lines[Number(line.split(" ")[0]) - 1]);
    }
  }
  // Weights, moments, step and the trainer's own progress: the same files with the same bytes, and nothing left over.
  expect(await bytesOf(path)).toEqual(await bytesOf(join(root, "whole")));
  expect((await readdir(root)).sort()).toEqual(["killed", "whole"]);
});
