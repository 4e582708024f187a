import { appendFile, mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { played } from "../../../../../test/support/played.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { claudeCode } from "../importers/claude-code.ts";
import { continuationId } from "../stored.ts";
import { SessionFiles } from "./session-files.ts";
import { SessionWindow } from "./session-window.ts";

const temporaryFolder = temporaryFolders();

async function followed(settleMs: number, everyMs: number, watch?: () => never) {
  const folder = await temporaryFolder();
  const stop = new AbortController();
  const known = new Map<string, string>();
  const problems: string[] = [];
  const files = new SessionFiles([{ importer: claudeCode, folder }], {
    known: (path) => known.get(path),
    settleMs,
    everyMs,
    signal: stop.signal,
    onProblem: (path, problem) => problems.push(`${path}: ${problem}`),
    ...(watch === undefined ? {} : { watch }),
  });
  return { folder, files, known, stop, problems };
}

test("without events of the system it looks by itself, and says so once", async () => {
  const refuse = (): never => {
    throw new Error("no watches left");
  };
  const { folder, files, known, stop, problems } = await followed(0, 25, refuse);
  await writeFile(join(folder, "a.jsonl"), "{}\n");
  const seen: string[] = [];
  for await (const batch of files.follow()) {
    for (const { path, stamp, bytes } of batch) {
      known.set(path, stamp);
      seen.push(`${path.slice(folder.length + 1)} ${bytes}`);
    }
    if (seen.length === 1) await appendFile(join(folder, "a.jsonl"), "{}\n");
    else if (seen.length === 2) {
      await mkdir(join(folder, "deep"));
      await writeFile(join(folder, "deep", "b.jsonl"), "{}\n");
      await writeFile(join(folder, "deep", "b.txt"), "no session");
    } else stop.abort();
  }
  expect(seen).toEqual(["a.jsonl 3", "a.jsonl 6", join("deep", "b.jsonl 3")]);
  expect(problems.map((problem) => problem.replace(folder, "F"))).toEqual([
    "F: the system tells nothing of it (no watches left); it is looked at every 0.025 s",
    expect.stringContaining("deep: the system tells nothing"),
  ]);
});

test("a file that has rested is given, one that was just written is not; once gives both", async () => {
  const { folder, files, stop } = await followed(3_600_000, 3_600_000);
  await writeFile(join(folder, "fresh.jsonl"), "{}\n");
  await writeFile(join(folder, "old.jsonl"), "{}\n");
  const yesterday = new Date(Date.now() - 86_400_000);
  await utimes(join(folder, "old.jsonl"), yesterday, yesterday);
  const given: string[] = [];
  for await (const batch of files.follow()) {
    given.push(...batch.map(({ path }) => path.slice(folder.length + 1)));
    stop.abort();
  }
  expect(given).toEqual(["old.jsonl"]);
  const both = await followed(3_600_000, 3_600_000);
  await writeFile(join(both.folder, "fresh.jsonl"), "{}\n");
  await writeFile(join(both.folder, "old.jsonl"), "{}\n");
  const now: number[] = [];
  for await (const batch of both.files.now()) now.push(batch.length);
  expect(now).toEqual([2]);
});

test("the window keeps the newest, joins what went on, and counts what did not fit", () => {
  const episode = played("one", true, [
    ["door", "open"],
    ["room", "look"],
  ]);
  const session = (id: string) => ({ ...episode, id, streams: [] });
  const window = new SessionWindow({ sessions: 2, letters: 1_000_000 });
  window.add(session("one"), "r");
  window.add(session("two"), "r");
  const [first] = episode.steps;
  const end = (episode.steps.at(-1)?.index ?? 0) + 1;
  const more = { ...first, index: end } as (typeof episode.steps)[number];
  // It is the newest now, so the other one leaves first.
  const piece = { ...session(continuationId("one", end)), parent: { trajectory: "one", step: end }, steps: [more] };
  window.add(piece, "r");
  window.add(session("three"), "r");
  expect(window.trajectories.map(({ id, steps }) => [id, steps.length])).toEqual([
    ["one", episode.steps.length + 1],
    ["three", episode.steps.length],
  ]);
  expect([window.left, window.runOf("one"), window.runOf("two")]).toEqual([1, "r", undefined]);
  // A piece of a session that has left, and one that is too large for all of it.
  window.add({ ...piece, id: continuationId("two", end), parent: { trajectory: "two", step: end } }, "r");
  const small = new SessionWindow({ sessions: 2, letters: 3 });
  small.add(session("large"), "r");
  expect([window.left, window.trajectories.length, small.left, small.trajectories]).toEqual([1, 2, 1, []]);
});
