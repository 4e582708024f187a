/** Writes one trajectory to a store of its own, reads it back and compares: the whole path, not a promise of it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { scored, trajectoryToJson, type Trajectory } from "../../trajectory/index.ts";
import { formatDuration } from "../look/units.ts";
import { withStore } from "../with-store.ts";
import type { Check } from "./check.ts";

const sample: Trajectory = {
  id: "doctor",
  task: { id: "doctor", env: "doctor", seed: 0, goal: "come back the same", split: "test" },
  group: "doctor",
  steps: [
    {
      index: 0,
      observation: "a door",
      stateKey: "door",
      action: "open it",
      valid: true,
      reward: scored(0.5),
      span: { stream: 0, start: 1, end: 3 },
    },
  ],
  streams: [{ ids: Int32Array.of(7, 11, 13), mask: Uint8Array.of(0, 1, 1), logprobs: Float32Array.of(0, -0.25, -0.5) }],
  ending: "terminated",
  reward: scored(0.5),
  success: true,
  rewards: [],
  policy: { name: "doctor" },
};

export const roundTrip: Check = {
  name: "Parquet",
  required: true,
  run: async ({ io }) => {
    const started = io.now();
    const folder = await mkdtemp(join(tmpdir(), "limbeck-doctor-"));
    try {
      const same = await withStore(folder, async (store) => {
        const writer = await store.createRun({ kind: "doctor" });
        await writer.append(sample);
        await writer.close();
        const back: Trajectory[] = [];
        for await (const trajectory of store.trajectories({ run: writer.run })) back.push(trajectory);
        return isDeepStrictEqual(back.map(trajectoryToJson), [trajectoryToJson(sample)]);
      });
      const took = formatDuration(io.now() - started);
      if (same) return { state: "ok", value: `a trajectory written, committed and read back in ${took}` };
      return {
        state: "broken",
        value: "a trajectory came back different from what was written",
        hint: "Install again (npm ci). If it stays, please report it with the output of limbeck doctor --json.",
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
