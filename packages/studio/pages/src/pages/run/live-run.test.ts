import { expect, test } from "vitest";
import type { RunDetail, RunEvents, TrajectoryItem } from "../../../../src/serve/api.ts";
import { applyRunEvent, startLive, type LiveRun } from "./live-run.ts";

const detail = {
  id: "one",
  status: "running",
  updates: { done: 1, planned: 3 },
  curves: [{ name: "success", topic: "success", unit: "share", points: [{ x: 1, y: 0.25 }] }],
  evaluations: [],
  notices: [],
} as unknown as RunDetail;

const metric = (name: string, x: number, y: number): RunEvents["metrics"]["values"][number] => ({
  name,
  point: { x, y },
});
const after = (...values: RunEvents["metrics"]["values"]): LiveRun =>
  applyRunEvent(startLive(detail), "metrics", { values });

test("values join their curve; one that comes twice counts once, the last time", () => {
  const { curves } = after(metric("success", 2, 0.5), metric("success", 1, 0.3), metric("new", 2, 7)).detail;
  expect(curves).toEqual([
    {
      name: "success",
      topic: "success",
      unit: "share",
      points: [
        { x: 1, y: 0.3 },
        { x: 2, y: 0.5 },
      ],
    },
    { name: "new", topic: "other", unit: "", points: [{ x: 2, y: 7 }] },
  ]);
});

test("the run's line changes, and what only the detail knows stays", () => {
  const run = { id: "one", status: "finished", updates: { done: 3, planned: 3 } } as unknown as RunDetail;
  const live = applyRunEvent(startLive(detail), "state", { run });
  expect(live.detail.status).toBe("finished");
  expect(live.detail.updates?.done).toBe(3);
  expect(live.detail.curves).toBe(detail.curves);
});

test("episodes are kept once and counted all", () => {
  const episode = (id: string): TrajectoryItem => ({ id }) as unknown as TrajectoryItem;
  const first = applyRunEvent(startLive(detail), "trajectories", {
    count: 64,
    trajectories: [episode("b"), episode("a")],
  });
  const second = applyRunEvent(first, "trajectories", { count: 1, trajectories: [episode("c")] });
  // The server sends the newest first; the page keeps them in the order they came.
  expect(second.arrived.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(second.arrivedCount).toBe(65);
});

test("a run that is gone stays in sight, and unknown events change nothing", () => {
  const gone = { code: "no-run", message: "It was deleted." };
  const live = applyRunEvent(startLive(detail), "gone", gone);
  expect(live.gone).toEqual(gone);
  expect(live.detail).toBe(detail);
  expect(applyRunEvent(live, "later" as "gone", gone)).toBe(live);
});
