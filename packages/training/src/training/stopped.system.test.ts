/** A training that is stopped says how to go on. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { isAbort } from "limbeck-base/base/errors";
import type { TrainEvent } from "./events.ts";
import { train } from "./train.ts";

const newFolder = temporaryFolders();

test("a training that is stopped keeps what it has finished and says how to go on", async () => {
  const dir = join(await newFolder(), "run");
  const stop = new AbortController();
  const events: TrainEvent[] = [];
  const options = {
    recipe: "grpo",
    env: "countdown",
    steps: 4,
    settings: { tasks: 1, group: 2, maxSteps: 1, answerTokens: 4 },
    validation: { every: 0 },
    report: { tasks: 1 },
    checkpointEvery: 100,
    threads: 1,
    dir,
  } as const;
  const run = train({
    ...options,
    signal: stop.signal,
    onEvent: (event) => {
      events.push(event);
      if (event.kind === "update" && event.update === 2) stop.abort();
    },
  });
  const error = await Promise.resolve(run).catch((reason: unknown) => reason);
  expect(isAbort(error)).toBe(true);
  expect(events.findLast((event) => event.kind === "notice")?.message).toBe(
    `Stopped. Update 2 of 4 is kept. Go on with --resume --dir "${dir}" and otherwise the same options.`,
  );
  const resumed: TrainEvent[] = [];
  await train({ ...options, resume: true, onEvent: (event) => resumed.push(event) });
  expect(resumed[0]).toMatchObject({ kind: "start", from: 2 });
}, 60_000);
