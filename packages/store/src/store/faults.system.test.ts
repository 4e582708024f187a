/** Bad input: each gives an error that names the file, and nothing that was stored is lost. */
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { builtChild } from "../../../../test/support/built-child.ts";
import { temporaryFolder } from "../../../../test/support/stores.ts";

const folder = temporaryFolder();

/** A small file system of one's own in a private name space; not every system lets a user have one. */
const inPrivateMount = (script: string): ReturnType<typeof spawnSync> =>
  spawnSync("unshare", ["-Urm", "sh", "-c", script]);
const canMount = inPrivateMount(`mount -t tmpfs tmpfs '${tmpdir()}'`).status === 0;
const program = builtChild("kill-disk");

test.skipIf(!canMount)(
  "a disk that is really full, then read-only (needs unshare, and a system that lets a user mount)",
  () => {
    const run = (mode: string): string => `'${process.execPath}' '${program()}' '${folder()}' ${mode} && echo &&`;
    const mount = `mount -t tmpfs -o size=512k tmpfs '${folder()}'`;
    const { stdout, stderr } = inPrivateMount(
      `${mount} && ${run("full")} mount -o remount,ro '${folder()}' && ${run("read-only")} true`,
    );
    expect(String(stderr)).toBe("");
    const [full, readOnly] = String(stdout)
      .split("\n")
      .map((line) => (line === "" ? undefined : JSON.parse(line)));
    expect(full).toMatchObject({
      errors: [{ code: "disk-full", cause: { code: "ENOSPC" } }, { code: "disk-full" }],
      whileFull: ["before"],
      inTheEnd: ["before", "during", "after"],
    });
    expect(readOnly).toMatchObject({
      errors: [
        { code: "no-access", cause: { code: "EROFS" } },
        { code: "no-access" },
        { code: "no-access" },
        { code: "no-access" },
        { code: "no-access" },
      ],
      stored: ["before", "during", "after"],
    });
  },
);
