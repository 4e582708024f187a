/** What is written where an agent reads it every time has been shown to help, or somebody has forced it. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck, type Ran } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { NO_STATISTICS, type LiftRecord } from "limbeck-core/skill/library/library-skill";
import { openLibrary, type NewSkill } from "limbeck-core/skill/library/library";
import { planInstall } from "limbeck-core/skill/install/plan";

const temporaryFolder = temporaryFolders();

const lift: LiftRecord = {
  at: "2026-11-17T09:00:00.000Z",
  verdict: "helps",
  over: { bare: { value: 0.5, low: 0.3, high: 0.7 }, placebo: { value: 0.4, low: 0.2, high: 0.6 } },
  success: { skill: 0.9, bare: 0.4, placebo: 0.5 },
  pairs: 48,
  promptTokens: 20,
  tokensPerPoint: 0.5,
  setting: {},
};

/** A project with a library of one skill for each status; the advisory ones differ in what was measured of them. */
async function project(): Promise<{ readonly cwd: string; readonly install: (...words: string[]) => Promise<Ran> }> {
  const cwd = await temporaryFolder();
  const library = openLibrary(join(cwd, "skills"));
  const add = (name: string, status: NewSkill["status"], more: Partial<NewSkill> = {}): Promise<unknown> =>
    library.add(
      {
        name,
        description: `About ${name}.`,
        level: "task",
        status,
        when: { goals: ["fix {1}"] },
        text: `Advice of ${name}.`,
        evidence: [],
        support: { successes: 2, failures: 0 },
        statistics: NO_STATISTICS,
        source: "test",
        ...more,
      },
      { by: "test", action: "added" },
    );
  await add("proven", "active");
  await add("stepped-down", "advisory", { lift });
  await add("no-help", "advisory", { lift: { ...lift, verdict: "no-lift" } });
  await add("no-pairs", "advisory", { lift: { ...lift, pairs: 0 } });
  await add("fresh", "candidate");
  await add("thin", "unproven");
  const into = ["--for", "claude-code", "--as", "section", "--yes"];
  const install = (...words: string[]): Promise<Ran> =>
    limbeck(["skills", "install", ...words, ...into], { cwd, env: { HOME: cwd } });
  return { cwd, install };
}

test("one that is named and not proven is refused, by name, with the command that proves it; nothing is written", async () => {
  const { cwd, install } = await project();
  const { code, err: wrapped } = await install("proven", "fresh", "thin", "no-help", "no-pairs");
  const err = wrapped.replaceAll(/\s+/g, " ");
  expect(code).toBe(2);
  expect(err).toContain('"fresh" (candidate), "thin" (unproven), "no-help" (advisory), "no-pairs" (advisory)');
  expect(err).toContain("limbeck lift fresh thin no-help no-pairs --dataset FILE");
  expect(err).toContain("--force");
  expect(await readdir(cwd)).toEqual(["skills"]);
});

test("forced, it is installed and says that it is unproven", async () => {
  const { cwd, install } = await project();
  expect((await install("fresh", "--force")).code).toBe(0);
  expect(await readFile(join(cwd, "CLAUDE.md"), "utf8")).toMatch(/Advice of fresh\.[\s\S]*- Lift: unproven/);
});

test("where nothing is named the proven ones are installed, and the others in use are named", async () => {
  const { cwd, install } = await project();
  const { code, err } = await install();
  expect(code).toBe(0);
  expect(err.replaceAll(/\s+/g, " ")).toContain("Not proven, and so not installed: no-help, no-pairs.");
  const written = await readFile(join(cwd, "CLAUDE.md"), "utf8");
  expect([...written.matchAll(/Advice of ([\w-]+)/g)].map(([, name]) => name)).toEqual(["proven", "stepped-down"]);
});

test("code that plans an installation is held to the same", async () => {
  const { cwd } = await project();
  const library = openLibrary(join(cwd, "skills"));
  const skills = [await library.read("fresh")];
  const where = { project: cwd, home: cwd, env: {} };
  const request = { library, agent: "claude-code", user: false, where, skills, at: lift.at } as const;
  await expect(planInstall(request)).rejects.toMatchObject({ code: "not-proven", details: { skills: ["fresh"] } });
  expect(await planInstall({ ...request, force: true })).toHaveLength(1);
});
