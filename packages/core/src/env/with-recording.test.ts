import { describe, expect, test } from "vitest";
import { createCorridor } from "./corridor.ts";
import { envContract } from "./env.contract.ts";
import { withRecording, type Recorded } from "./with-recording.ts";

const task = { id: "corridor-train-0", env: "corridor", seed: 0, goal: "", split: "train" };

envContract({
  name: "withRecording",
  env: withRecording(createCorridor(), () => undefined),
  runner: { describe, test },
});

test("tells openings, steps, forks and closings in order", async () => {
  const events: Recorded[] = [];
  const episode = await withRecording(createCorridor(), (event) => events.push(event)).open(task);
  await episode.step("go east");
  const fork = await episode.fork();
  await fork.step("go west");
  await episode.close();
  await episode.close();
  expect(events.map(({ kind, episode: number }) => `${kind} ${number}`)).toEqual([
    "open 0",
    "step 0",
    "fork 1",
    "step 1",
    "close 0",
  ]);
  expect(events[1]).toMatchObject({ index: 0, action: "go east", observation: "Room 2.", stateKey: "room 2" });
  expect(events[2]).toMatchObject({ parent: 0, index: 1 });
  expect(events[3]).toMatchObject({ index: 1, action: "go west", stateKey: "room 1" });
});
