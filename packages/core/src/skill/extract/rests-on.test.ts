import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { unscored } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { restsOn, stalenessOf } from "./rests-on.ts";

const temporaryFolder = temporaryFolders();
const AT = "2026-11-16T00:00:00.000Z";

/** A session that called these tools, and had those offered. */
function session(
  cwd: string,
  more: { at?: string; version?: string; calls?: string[]; offered?: string[] } = {},
): Trajectory {
  const { at = AT, version = "2.1.0", calls = ["Bash"], offered = [] } = more;
  const reply = {
    role: "assistant" as const,
    content: "",
    toolCalls: calls.map((name) => ({ id: name, name, arguments: {} })),
  };
  return {
    id: at,
    task: { id: "t", env: "session", seed: 0, goal: "g", split: "train" },
    group: "t",
    steps: [{ index: 0, observation: "", stateKey: "", action: "", valid: true, reward: unscored("none"), reply }],
    streams: [],
    ending: "terminated",
    reward: unscored("none"),
    success: null,
    rewards: [],
    policy: { name: "claude-code" },
    timing: { startedAt: at },
    ...(offered.length === 0 ? {} : { tools: offered.map((name): JsonObject => ({ name })) }),
    info: { session: { cwd, format: "claude-code", version } },
  };
}

test("files, tools and packages that the text names; what lies elsewhere is never read", async () => {
  const folder = await temporaryFolder();
  const outside = await temporaryFolder();
  await mkdir(join(folder, "tools"));
  await writeFile(join(folder, "tools", "build.mjs"), "1");
  await writeFile(join(outside, "secret.txt"), "1");
  await symlink(join(outside, "secret.txt"), join(folder, "link.txt"));
  await writeFile(join(folder, "package.json"), '{"dependencies":{"zod":"^4.1.0","yaml":"^2"}}');
  const text = `Bash command=node tools/build.mjs; read ../secret.txt, ${outside}/secret.txt, link.txt, package.json; uses zod.`;
  const found = await restsOn({ text }, [session(folder)], AT);
  expect(found).toMatchObject({
    folder,
    files: [{ path: "tools/build.mjs" }],
    tools: ["Bash"],
    versions: { "claude-code": "2.1.0", zod: "^4.1.0" },
  });
  if (found === undefined) throw new Error("nothing was found");

  expect(await stalenessOf(found, [], "/")).toEqual([]);
  await writeFile(join(folder, "package.json"), '{"dependencies":{"zod":"^4.9.0"}}');
  expect(
    await stalenessOf(found, [session(folder, { at: "2026-11-17T00:00:00.000Z", version: "2.4.0" })], "/"),
  ).toEqual([]);
  await writeFile(join(folder, "package.json"), '{"dependencies":{"zod":"^5.0.0"}}');
  await writeFile(join(folder, "tools", "build.mjs"), "2");
  const later = (day: number): Trajectory =>
    session(folder, { at: `2026-11-${day}T00:00:00.000Z`, version: "3.0.0", calls: ["shell"], offered: ["shell"] });
  expect(await stalenessOf(found, [later(17), later(18), later(19)], "/")).toEqual([
    "tools/build.mjs has changed",
    "claude-code is 3.0.0 now, was 2.1.0",
    "zod is ^5.0.0 now, was ^4.1.0",
    "the tool Bash is no longer there",
  ]);
  await rm(join(folder, "tools"), { recursive: true });
  expect((await stalenessOf(found, [later(17)], "/"))[0]).toBe("tools/build.mjs is gone");
});

test("a skill that names nothing rests on nothing", async () => {
  const { info: _, ...plain } = session("/");
  expect(await restsOn({ text: "Look first." }, [plain], AT)).toBeUndefined();
});
