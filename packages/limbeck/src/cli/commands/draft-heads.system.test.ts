import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { limbeck, type Ran } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";

const newFolder = temporaryFolders();
let folder = "";
beforeEach(async () => {
  folder = await newFolder();
});

const run = (...words: string[]): Promise<Ran> => limbeck(words, { cwd: folder });
const SMALL = ["--count", "1", "--group", "2", "--max-steps", "2", "--steps", "3", "--batch", "8", "--threads", "1"];

test("from fresh episodes, from stored ones, and what is said with them is the same", async () => {
  const world = ["--env", "countdown", "--env-set", "level=easy"];
  const made = await run("draft-heads", "--model", "bundled", ...world, ...SMALL, "--out", "with-heads", "--json");
  expect([made.code, made.err]).toEqual([0, ""]);
  const events = made.objects();
  expect(events.map(({ event }) => event)).toEqual(["step", "step", "step", "end"]);
  expect(events.at(-1)).toMatchObject({ rows: 2, path: join(folder, "with-heads", "draft-heads.safetensors") });
  expect(await readdir(join(folder, "with-heads"))).toContain("model.safetensors");

  const play = [...world, "--policy", "with-heads", "--count", "1", "--group", "2", "--threads", "1", "--json"];
  const plain = await run("rollout", ...play, "--run", "plain");
  const drafted = await run("rollout", ...play, "--run", "drafted", "--draft", "heads");
  expect([plain.code, drafted.code]).toEqual([0, 0]);
  const said = (ran: Ran): unknown[] => ran.objects().map(({ tokens, reward, steps }) => ({ tokens, reward, steps }));
  expect(said(drafted)).toEqual(said(plain));

  const again = await run("draft-heads", "--model", "with-heads", "--from", "plain", "--steps", "1", "--loss", "ce");
  expect([again.code, again.out]).toEqual([0, expect.stringContaining("tokens a pass")]);
});

test("what is missing is said", async () => {
  for (const [words, why] of [
    [["--env", "tools"], /needs --model/],
    [["--model", "m"], /needs --env ID, a world to play in, or --from RUN/],
    [["--model", "bundled", "--env", "tools"], /give --out DIR/],
    [["--model", "bundled", "--from", "r"], /needs --env ID; with --from/],
  ] as const) {
    const { code, err } = await run("draft-heads", ...words);
    expect(code).toBe(2);
    expect(err).toMatch(why);
  }
});
