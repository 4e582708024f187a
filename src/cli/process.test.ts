/** The real process: signals, closed pipes, colours. */
import { execFile, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleStore } from "../../test/support/sample-store.ts";

const bin = fileURLToPath(new URL("bin.ts", import.meta.url));
const run = promisify(execFile);

let store: Awaited<ReturnType<typeof sampleStore>>;
beforeAll(async () => {
  store = await sampleStore();
});
afterAll(() => store.remove());

function start(words: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, ["--import", "tsx", bin, ...words], {
    env: { PATH: process.env["PATH"], LIMBECK_STORE: store.root },
  });
}

async function ended(
  child: ChildProcessWithoutNullStreams,
): Promise<{ code: number | null; out: string; err: string }> {
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  await once(child, "close");
  return { code: child.exitCode, out, err };
}

test("exit codes reach the shell", async () => {
  expect(await ended(start(["runs", "--quiet"]))).toMatchObject({ code: 0, err: "" });
  expect(await ended(start(["nonsense"]))).toMatchObject({ code: 2, out: "" });
});

test("Ctrl-C keeps what an import has read and says so", async () => {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-pipe-"));
  const pipe = join(folder, "endless.jsonl");
  await run("mkfifo", [pipe]);
  const child = start(["import", pipe, "--format", "chat", "--run", "stopped", "--lenient", "--json"]);
  const result = ended(child);
  // Opened for both, so that opening does not wait for a reader that may never come.
  const writer = await open(pipe, "r+");
  const chat = (text: string): string =>
    `${JSON.stringify({
      messages: [
        { role: "user", content: text },
        { role: "assistant", content: "yes" },
      ],
    })}\n`;
  await writer.write(`${chat("one")}${chat("two")}this is no JSON\n`);
  // The report of the bad line says that the two before it have been read; the pipe stays open, so it waits for more.
  await Promise.race([once(child.stdout, "data"), result]);
  child.kill("SIGINT");
  const { code, out, err } = await result;
  await writer.close();
  await rm(folder, { recursive: true });
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(events.at(-1)).toMatchObject({ event: "end", run: "stopped", trajectories: 2, skipped: 1, complete: false });
  expect(JSON.parse(err)).toMatchObject({ error: { code: expect.stringMatching(/cancelled|ABORT_ERR/) as string } });
  expect(code).toBe(130);
  const kept = await ended(start(["sql", "select count(*) n from trajectories", "--run", "stopped", "--json"]));
  expect(kept.out).toBe('{"n":2}\n');
});

test("a closed pipe ends quietly", async () => {
  const { stdout, stderr } = await run(
    "bash",
    [
      "--norc",
      "-c",
      `"$0" --import tsx "$1" sql --format csv "select * from range(300000)" | head -n 1; echo "\${PIPESTATUS[0]}"`,
      process.execPath,
      bin,
    ],
    { env: { PATH: process.env["PATH"], LIMBECK_STORE: store.root } },
  );
  expect(stderr).toBe("");
  expect(stdout).toBe("range\r\n0\n");
});

test("standard input carries a statement", async () => {
  const child = start(["sql", "-", "--json"]);
  const result = ended(child);
  child.stdin.end("select 1 as one");
  expect(await result).toMatchObject({ code: 0, out: '{"one":1}\n' });
});
