/** End to end, through the command line of a clone: a training with the bundled model, and the same one killed and resumed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";

const LAUNCHER = join(import.meta.dirname, "../../scripts/limbeck.mjs");
const SMALL = "--set tasks=1 --set group=2 --set answerTokens=4 --set maxSteps=2 --threads 1 --report-tasks 1";
const TRAIN = `train --recipe grpo --steps 2 --checkpoint-every 1 --validate-every 0 ${SMALL} --json`.split(" ");

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-slice-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly events: readonly Record<string, unknown>[];
  readonly err: string;
  readonly code: number | null;
  readonly signal: string | null;
}

/** Runs a command; `kill` looks at each line, and ends the process where it says so. */
async function limbeck(words: readonly string[], kill?: (event: Record<string, unknown>) => boolean): Promise<Ended> {
  const child = spawn(process.execPath, [LAUNCHER, ...words], { cwd: folder });
  const events: Record<string, unknown>[] = [];
  const lines = createInterface({ input: child.stdout }).on("line", (text) => {
    const event = JSON.parse(text) as Record<string, unknown>;
    events.push(event);
    if (kill?.(event) === true) child.kill("SIGKILL");
  });
  const read = once(lines, "close");
  const [err, [code, signal]] = await Promise.all([text(child.stderr), once(child, "close"), read]);
  return { events, err, code: code as number | null, signal: signal as string | null };
}

test("a training, its stored episodes, its model; killed after an update and resumed it ends with the same weights", async () => {
  const whole = await limbeck([...TRAIN, "--dir", "runs/whole"]);
  expect([whole.code, whole.err]).toEqual([0, ""]);
  expect(whole.events.at(-1)).toMatchObject({
    reason: "finished",
    run: "runs/whole",
    digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  const counted = await limbeck(["sql", "select count(*) as n from trajectories where split = 'train'", "--json"]);
  expect([counted.code, counted.events]).toEqual([0, [{ n: 4 }]]);

  const killed = await limbeck(
    [...TRAIN, "--dir", "runs/killed"],
    ({ event, update }) => event === "update" && update === 2,
  );
  expect(killed.signal).toBe("SIGKILL");
  const resumed = await limbeck([...TRAIN, "--dir", "runs/killed", "--resume"]);
  expect([resumed.code, resumed.err]).toEqual([0, ""]);
  expect(resumed.events[0]?.["from"]).toBeGreaterThan(0);
  expect(resumed.events.at(-1)?.["digest"]).toBe(whole.events.at(-1)?.["digest"]);
});
