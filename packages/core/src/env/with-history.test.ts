import { describe, expect, test } from "vitest";
import { createCorridor } from "./corridor.ts";
import { envContract } from "./env.contract.ts";
import { withHistory } from "./with-history.ts";

const task = { id: "corridor-train-0", env: "corridor", seed: 0, goal: "", split: "train" };

envContract({ name: "withHistory", env: withHistory(createCorridor(), { turns: 2 }), runner: { describe, test } });

test("shows the latest turns before what is seen now", async () => {
  const episode = await withHistory(createCorridor({ rooms: 9 }), { turns: 2 }).open(task);
  expect(episode.observation).toBe("Room 1.");
  for (const action of ["go east", "fly", "go east"]) await episode.step(action);
  expect(episode.observation).toBe(
    "Step 2\nYou saw: Room 2.\nYou did: fly\n\nStep 3\nYou saw: A wall.\nYou did: go east\n\nNow\nRoom 3.",
  );
  expect(episode.stateKey).toBe("room 3");
});

test("a fork remembers what came before it and nothing of its original's future", async () => {
  const short = withHistory(createCorridor({ rooms: 9 }), {
    turns: 5,
    format: (turns, observation) => `${turns.map((turn) => turn.action).join(" > ")} | ${observation}`,
  });
  const episode = await short.open(task);
  await episode.step("go east");
  const fork = await episode.fork();
  await episode.step("go west");
  await fork.step("fly");
  expect(fork.observation).toBe("go east > fly | A wall.");
  expect(episode.observation).toBe("go east > go west | Room 1.");
});

test("zero turns shows none; a fraction is refused", async () => {
  const episode = await withHistory(createCorridor(), { turns: 0 }).open(task);
  expect((await episode.step("go east")).observation).toBe("Room 2.");
  expect(() => withHistory(createCorridor(), { turns: 0.5 })).toThrow("0.5 turns");
});
