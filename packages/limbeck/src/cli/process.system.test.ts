/** The real process: signals, closed pipes, colours. */
import { execFile, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMAND_LINE } from "../../../../test/support/command-line.ts";
import { sampleStore } from "../../../../test/support/sample-store.ts";

const run = promisify(execFile);

let store: Awaited<ReturnType<typeof sampleStore>>;
beforeAll(async () => {
  store = await sampleStore();
});
afterAll(() => store.remove());

function start(words: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [COMMAND_LINE, ...words], {
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
  const folder = await mkdtemp(join(tmpdir(), "limbeck-stop-"));
  const file = join(folder, "many.jsonl");
  const chat = (number: number): string =>
    `{"messages":[{"role":"user","content":"${number}?"},{"role":"assistant","content":"${"yes ".repeat(40)}"}]}`;
  const rest = Array.from({ length: 150_000 }, (_, index) => chat(index));
  await writeFile(file, [chat(-2), chat(-1), "this is no JSON", ...rest].join("\n"));
  const child = start(["import", file, "--run", "stopped", "--lenient", "--json"]);
  const result = ended(child);
  // The report of the bad line says that the work has begun; most of the file is still ahead.
  await Promise.race([once(child.stdout, "data"), result]);
  child.kill("SIGINT");
  const { code, out, err } = await result;
  await rm(folder, { recursive: true });
  const end = JSON.parse(out.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
  expect(end).toMatchObject({ event: "end", run: "stopped", files: 0, skipped: 1, complete: false });
  expect(JSON.parse(err)).toMatchObject({ error: { code: expect.stringMatching(/cancelled|ABORT_ERR/) as string } });
  expect(code).toBe(130);
  const kept = await ended(start(["sql", "select count(*) n from trajectories", "--run", "stopped", "--json"]));
  expect(end["trajectories"]).toBeGreaterThanOrEqual(2);
  expect(JSON.parse(kept.out)).toEqual({ n: end["trajectories"] });
});

test("a closed pipe ends quietly", async () => {
  const { stdout, stderr } = await run(
    "bash",
    [
      "--norc",
      "-c",
      `"$0" "$1" sql --format csv "select * from range(300000)" | head -n 1; echo "\${PIPESTATUS[0]}"`,
      process.execPath,
      COMMAND_LINE,
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
