import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { runManager } from "./package-manager.ts";

const newFolder = temporaryFolders();
const COMMAND = ["npm", "install", "ws@^8.0.0"];

describe.skipIf(process.platform === "win32")("a stand-in of npm, which is a shell script", () => {
  const run = async (script: string | undefined, more: object = {}): Promise<string> => {
    const project = await newFolder();
    if (script !== undefined) {
      await writeFile(join(project, "npm"), `#!/bin/sh\n${script}\n`);
      await chmod(join(project, "npm"), 0o755);
    }
    const environment = { PATH: script === undefined ? project : `${project}:/usr/bin:/bin` };
    const place = { cwd: project, environment, signal: new AbortController().signal, ...more };
    return await runManager(COMMAND, place).then(
      () => "done",
      (error: Error) => error.message.replace(project, "PROJECT"),
    );
  };

  test("runs in the project; what it prints of itself is not shown", async () => {
    expect(await run('test "$1 $2" = "install ws@^8.0.0" && test -x npm && echo added 1 package')).toBe("done");
  });

  test("a failure says how it ended and its last lines", async () => {
    const failed = await run("seq 1 20; echo >&2 'npm error code ETARGET'; exit 7");
    expect(failed.split("\n")).toEqual([
      'In PROJECT, npm install "ws@^8.0.0" failed with exit code 7:',
      ...[...Array.from({ length: 14 }, (_, at) => `${7 + at}`), "npm error code ETARGET"].map((line) => `  ${line}`),
    ]);
  });

  test("one that is not there, and one that does not end", async () => {
    expect(await run(undefined)).toMatch(/ could not be started: no such program\.$/);
    expect(await run("exec cat /dev/zero > /dev/null", { limitMs: 50 })).toMatch(/ did not end within 50 ms\.$/);
    await expect(run("exit 1", { signal: AbortSignal.abort() })).resolves.toBe("The work was cancelled.");
  });
});
