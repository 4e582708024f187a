/** Skills whose files, packages or tools have changed retire themselves, and leave the files that agents read. */
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck, type Ran } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { restsOn } from "limbeck-core/skill/extract/rests-on";
import { NO_STATISTICS } from "limbeck-core/skill/library/library-skill";
import { openLibrary } from "limbeck-core/skill/library/library";
import { played } from "../../../../../test/support/played.ts";

const temporaryFolder = temporaryFolders();

/** A skill in use, learnt in a session of this project and installed there. */
async function installed(text: string) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "build.mjs"), "one");
  await writeFile(join(folder, "package.json"), JSON.stringify({ devDependencies: { vitest: "^3.1.0" } }));
  const session = { ...played("seen", true, [["a", "b"]]), info: { session: { cwd: folder, format: "claude-code" } } };
  const library = openLibrary(join(folder, "skills"));
  const ground = await restsOn({ text }, [session], "2026-11-16T00:00:00.000Z");
  await library.add(
    {
      name: "build-first",
      description: "Build before the tests.",
      level: "task",
      status: "active",
      when: { goals: [] },
      text,
      evidence: [{ trajectory: "seen", steps: [0] }],
      support: { successes: 2, failures: 0 },
      statistics: NO_STATISTICS,
      source: "person",
      ...(ground === undefined ? {} : { restsOn: ground }),
    },
    { by: "ann", action: "added" },
  );
  const skills = (...words: readonly string[]): Promise<Ran> =>
    limbeck(["skills", ...words, "--json"], { cwd: folder, env: { HOME: folder } });
  await skills("install", "build-first", "--for", "claude-code", "--yes");
  const file = join(folder, ".claude", "skills", "build-first", "SKILL.md");
  expect(await readFile(file, "utf8")).toContain("build-first");
  return { folder, skills, library, isInstalled: () => stat(file).then(Boolean, () => false) };
}

test.each([
  ["a file that it names has changed", "Run build.mjs first.", "build.mjs", "two", /build\.mjs has changed/],
  ["a file that it names is gone", "Run build.mjs first.", "build.mjs", undefined, /build\.mjs is gone/],
  [
    "a package that it names has another major version",
    "Run vitest after the build.",
    "package.json",
    JSON.stringify({ devDependencies: { vitest: "^4.0.0" } }),
    /vitest is \^4\.0\.0 now, was \^3\.1\.0/,
  ],
])("%s: it is retired, and taken back where it was installed", async (_, text, name, content, why) => {
  const { folder, skills, library, isInstalled } = await installed(text);
  expect((await skills("check")).objects().at(-1)).toMatchObject({ event: "end", skills: 1, changed: 0 });
  if (content === undefined) await rm(join(folder, name));
  else await writeFile(join(folder, name), content);
  const said = (await skills("check", "--dry-run")).objects();
  expect([said[0]?.["why"], await isInstalled()]).toEqual([expect.stringMatching(why), true]);
  expect((await skills("check")).objects()[0]).toMatchObject({ decision: "retire", status: "archived" });
  expect([(await library.read("build-first")).status, await isInstalled()]).toEqual(["archived", false]);
  // A person may know better: it is brought back, and holds as things are today.
  await skills("rollback", "build-first");
  expect((await library.read("build-first")).status).toBe("active");
});

test("a small release, or a change beside it, is no reason", async () => {
  const { folder, skills, isInstalled } = await installed("Run build.mjs, then vitest.");
  await writeFile(join(folder, "package.json"), JSON.stringify({ devDependencies: { vitest: "^3.9.1" } }));
  await writeFile(join(folder, "other.mjs"), "new");
  expect((await skills("check")).objects().at(-1)).toMatchObject({ skills: 1, changed: 0 });
  expect(await isInstalled()).toBe(true);
});
