import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { NO_LABELS } from "limbeck-studio/serve/api/labels";
import { createLabelShelf } from "limbeck-studio/serve/runs/run-list";
import { openStore } from "limbeck-store/store/open-store";
import type { RunSummary } from "limbeck-store/store/store";
import { runsToDelete } from "./keep-runs.ts";

const run = (id: string, day: number, more: Partial<RunSummary> = {}): RunSummary => ({
  id,
  kind: "train",
  createdAt: `2026-01-0${day}T00:00:00.000Z`,
  config: {},
  schemaVersion: 1,
  commits: 1,
  segments: 1,
  bytes: 1,
  trajectories: 1,
  steps: 1,
  metrics: 0,
  events: 0,
  ...more,
});
const runs = [run("d", 4), run("a", 1), run("c", 3), run("b", 2), run("broken", 1, { problem: "damaged" })];
const none = new Set<string>();
const sinceMs = Date.parse("2026-01-03T00:00:00.000Z");
const ids = (found: readonly RunSummary[]): string[] => found.map(({ id }) => id);

test("a run stays when one rule keeps it; what cannot be read and what goes on stays too", () => {
  expect(ids(runsToDelete(runs, { last: 1, busy: none }))).toEqual(["a", "b", "c"]);
  expect(ids(runsToDelete(runs, { sinceMs, busy: none }))).toEqual(["a", "b"]);
  expect(ids(runsToDelete(runs, { last: 3, sinceMs, busy: none }))).toEqual(["a"]);
  expect(ids(runsToDelete(runs, { last: 3, sinceMs, busy: new Set(["a"]) }))).toEqual([]);
  expect(ids(runsToDelete(runs, { last: 0, busy: none }))).toEqual(["a", "b", "c", "d"]);
});

test("a run that somebody has pinned stays", async () => {
  const root = await mkdtemp(join(tmpdir(), "limbeck-keep-"));
  for (const [at, id] of ["first", "second", "third"].entries()) {
    const now = (): Date => new Date(Date.UTC(2026, 0, 1 + at));
    await (await openStore(root, { now }).createRun({ id })).close();
  }
  await createLabelShelf(root).change("first", { version: NO_LABELS.version, pinned: true });
  const { code } = await limbeck(["runs", "keep", "--last", "1", "--yes", "--store", root]);
  expect(code).toBe(0);
  expect((await openStore(root).runs()).map(({ id }) => id)).toEqual(["first", "third"]);
  await rm(root, { recursive: true, force: true });
});
