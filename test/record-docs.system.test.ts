/** "Try it in a minute" of docs/learn/record.md, as a new user types it. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { limbeck } from "./support/fake-io.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

test("the example runs without a key, its recording is imported, and traces lists it with its outcome", async () => {
  const page = await readFile(join(root, "docs", "learn", "record.md"), "utf8");
  for (const line of [
    "npx tsx examples/trip-agent.ts",
    "npm run limbeck -- import recordings",
    "npm run limbeck -- traces",
  ]) {
    expect(page).toContain(line);
  }
  const folder = await mkdtemp(join(tmpdir(), "limbeck-try-"));
  const tsx = join(root, "node_modules", "tsx", "dist", "loader.mjs");
  const example = join(root, "examples", "trip-agent.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", tsx, example], { cwd: folder });
  expect(stdout).toContain("Rome is warmer: 24 degrees against 17 in Paris.");
  const options = { cwd: folder };
  const imported = await limbeck(["import", join(folder, "recordings"), "--json"], options);
  expect(imported.objects().at(-1)).toMatchObject({ trajectories: 1, steps: 2 });
  const { objects } = await limbeck(["traces", "--json"], options);
  expect(objects()[0]).toMatchObject({ task: "warmer-city", agent: "trip-agent", steps: 2, success: true });
  await rm(folder, { recursive: true });
});
