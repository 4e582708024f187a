/** A world of one's own file on a fleet: served by who was started with the same file, refused by everybody else. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFile, copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { COMMAND_LINE } from "../../../../test/support/command-line.ts";
import { requestOf } from "../../../../test/support/fleet.ts";
import { NEEDS_REDIS, redisThere, startRedis, type TestRedis } from "../../../../test/support/redis.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { loadedPart } from "limbeck-base/base/parts/part";
import { rollOutOnFleet } from "./roll-out-on-fleet.ts";
import { startWorker, type WorkerEvent } from "./worker.ts";

const newFolder = temporaryFolders();
const good = fileURLToPath(new URL("../../../../test/broken-parts/good-parts.ts", import.meta.url));

let redis: TestRedis;
beforeAll(async () => {
  if (redisThere) redis = await startRedis();
});
afterAll(() => redis?.close());
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "close");
  }
});

test("a file that nobody named here is refused", () => {
  expect(() => loadedPart("/nowhere/world.ts#0123456789abcdef", "environment")).toThrow(
    expect.objectContaining({ code: "part-refused", message: expect.stringContaining("nobody named it") as string }),
  );
});

test.skipIf(!redisThere)(
  `workers started with the file play it; a job with another content is refused (${NEEDS_REDIS})`,
  async () => {
    const folder = await newFolder();
    await copyFile(good, join(folder, "good-parts.ts"));
    const script = '{ on: { id: "on", summary: "Goes on.", start: () => ({ next: () => "on" }) } }';
    await writeFile(
      join(folder, "world.ts"),
      `import { world } from "./good-parts.ts";\nexport default world({}, {}, { demonstrators: ${script} });\n`,
    );
    const program = [COMMAND_LINE];
    const worker = spawn(
      process.execPath,
      [...program, "worker", "--redis", redis.url, "--env", "./world.ts", "--json"],
      {
        cwd: folder,
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    children.push(worker);
    await once(worker.stdout, "data");
    const words = ["rollout", "--env", "./world.ts", "--policy", "on", "--count", "2", "--group", "2", "--json"];
    const run = promisify(execFile);
    const played = await run(process.execPath, [...program, ...words, "--fleet", redis.url], { cwd: folder });
    const last = JSON.parse(played.stdout.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
    expect(last).toMatchObject({ succeeded: 4 });

    // The same path, another content: the worker has a queue for its own alone.
    await appendFile(join(folder, "world.ts"), "// changed\n");
    const id = `${join(folder, "world.ts")}#0123456789abcdef`;
    const heard: WorkerEvent[] = [];
    const other = await startWorker({
      redis: redis.url,
      cache: await newFolder(),
      worlds: { [id]: 1 },
      onEvent: (event) => heard.push(event),
    });
    try {
      const task = { id: "t", env: "good", seed: 1, goal: "go on", split: "train" };
      const request = { ...requestOf(redis.url, "refused", [task]), env: { id, options: {} }, attempts: 1 };
      const { parked, givenUp } = await rollOutOnFleet(request);
      expect([parked, givenUp[0]?.error.startsWith("part-refused: ")]).toEqual([1, true]);
      expect(heard).toContainEqual(expect.objectContaining({ kind: "failed", code: "part-refused" }));
    } finally {
      await other.close();
    }
  },
  180_000,
);
