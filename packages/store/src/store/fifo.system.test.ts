/** A FIFO in the place of a file holds up whoever opens it, for ever; here it is one more broken file. */
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { temporaryFolder } from "../../../../test/support/stores.ts";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { openStore } from "./open-store.ts";

const folder = temporaryFolder();
const hasFifos = spawnSync("mkfifo", ["--version"]).status === 0;

test.skipIf(!hasFifos).each(["run.json", "commits", "segments"])(
  "runs, compact and sql answer with a FIFO in %s (needs mkfifo)",
  async (part) => {
    const store = openStore(folder());
    for (const id of ["bad", "good"]) {
      const writer = await store.createRun({ id });
      for (const name of ["a", "b"]) {
        await writer.append(madeFrom(`${id}-${name}`));
        await writer.commit();
      }
      await writer.close();
    }
    await store.close();
    const inBad = join(folder(), "bad", part);
    const path =
      part === "run.json"
        ? inBad
        : join(
            inBad,
            readdirSync(inBad).find((name) => !name.startsWith("."))!,
          );
    rmSync(path);
    expect(spawnSync("mkfifo", [path]).status).toBe(0);
    const run = (...words: string[]) => limbeck([...words, "--store", folder()]);
    const listed = await run("runs");
    expect(listed.out).toContain("✗ ");
    expect(listed.out).toContain("is a FIFO");
    expect(await run("sql", "select count(*) n from trajectories", "--json")).toMatchObject({ code: 0 });
    expect((await run("compact")).err).toContain("! Left run bad as it is: ");
  },
);
