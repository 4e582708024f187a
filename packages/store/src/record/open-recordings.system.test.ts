/** Recording in a thread of its own, in a process that can be killed. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stored } from "../../../../test/support/recording.ts";
import { openStore } from "../store/open-store.ts";
import { openRecordings } from "./open-recordings.ts";

const script = fileURLToPath(new URL("../../../../test/support/kill-recorder.ts", import.meta.url));
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-worker-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("lines reach the store through the thread", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", script, folder, "close"]);
  expect(JSON.parse(stdout)).toEqual({ kind: "WorkerRecordings", open: 0, stored: 1, dropped: 0 });
  expect((await stored(openStore(folder))).map((item) => [item.id, item.steps.length])).toEqual([["a", 1]]);
});

test("a process that is killed loses nothing: the next one stores what it had open", async () => {
  const child = spawn(process.execPath, ["--import", "tsx", script, folder, "wait"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    expect(JSON.parse(line.toString("utf8"))).toMatchObject({ kind: "WorkerRecordings", open: 1, stored: 0 });
  } finally {
    child.kill("SIGKILL");
  }
  await once(child, "exit");
  expect(await stored(openStore(folder))).toEqual([]);
  const next = await openRecordings({ root: folder, run: "recorded" });
  await next.close();
  expect((await stored(openStore(folder))).map((item) => item.id)).toEqual(["a"]);
});

test("a run that cannot be is refused by name", async () => {
  await expect(openRecordings({ root: folder, run: "../elsewhere" })).rejects.toMatchObject({ code: "bad-run-id" });
});
