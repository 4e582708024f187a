import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tries } from "../../../../../test/support/thorough.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { decide, rollBack } from "./decide.ts";
import { openLibrary, type Library, type NewSkill } from "./library.ts";
import { NO_STATISTICS } from "./library-skill.ts";
import { readSkillFile, writeSkillFile } from "./skill-file.ts";

const temporaryFolder = temporaryFolders();
const act = { by: "test", action: "extracted" };
const date = (): string => "2026-11-15T10:00:00.000Z";

function skill(name: string, more: Partial<NewSkill> = {}): NewSkill {
  return {
    name,
    description: `About ${name}.`,
    level: "task",
    status: "candidate",
    when: { goals: ["put a hot {1} in {2}."] },
    text: "This worked: heat {1} with microwave.",
    evidence: [{ run: "r1", trajectory: "t1", steps: [3, 4] }],
    support: { successes: 3, failures: 1 },
    statistics: NO_STATISTICS,
    source: "statistics",
    ...more,
  };
}

async function library(): Promise<Library> {
  return openLibrary(await temporaryFolder(), { date });
}

describe("files", () => {
  test("a skill reads as it was written, and its version is a hash of what it says", async () => {
    const books = await library();
    expect(await books.add(skill("heat-it"), act)).toBe(true);
    expect(await books.add(skill("heat-it"), act)).toBe(false);
    const read = await books.read("heat-it");
    expect(read).toMatchObject(skill("heat-it"));
    const text = await readFile(join(books.root, "heat-it", "SKILL.md"), "utf8");
    expect(text).toMatch(/^---\nname: heat-it\ndescription: About heat-it\.\n/);
    expect(text.endsWith("\n\nThis worked: heat {1} with microwave.\n")).toBe(true);
    const again = readSkillFile(writeSkillFile({ skill: { ...read, status: "active" } }), "x").skill;
    expect(again).toEqual({ ...read, status: "active" });
  });

  test("whatever a skill says, its file says the same", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }).map((letters) => `a${letters}z`);
    const line = fc.string({ unit: "grapheme", maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(line, { maxLength: 3 }), line, (said, goals, why) => {
        const made = { ...skill("any", { text: said, when: { goals } }), version: "" };
        const change = { number: 1, at: "t", by: "x", action: "y", why };
        const read = readSkillFile(writeSkillFile({ skill: made, change }), "p");
        const lines = (raw: string): string => raw.replaceAll(/\r\n?/g, "\n");
        expect(lines(read.skill.text)).toBe(lines(said));
        expect([read.skill.when.goals, read.change?.why]).toEqual([goals, why]);
      }),
      { numRuns: tries(30, 100) },
    );
  });

  test("names are never paths", async () => {
    const books = await library();
    for (const name of ["../up", "a/b", "", "Up", "a--b", ".hidden"]) {
      await expect(books.read(name)).rejects.toMatchObject({ code: "bad-skill-name" });
    }
    await expect(books.read("heat-ti")).rejects.toMatchObject({ code: "unknown-name" });
  });

  test("a skill with broken front matter is named and kept; the others work; a roll-back keeps the broken text", async () => {
    const books = await library();
    await books.add(skill("good"), act);
    await books.add(skill("edited"), act);
    const path = join(books.root, "edited", "SKILL.md");
    await writeFile(path, "---\nname: edited\ndescription: [never closed\n---\nMy own words.\n");
    const { skills, problems } = await books.list();
    expect(skills.map(({ name }) => name)).toEqual(["good"]);
    expect(problems).toMatchObject([{ name: "edited", path }]);
    await expect(decide(books, "edited", { decision: "promote", by: "me" })).rejects.toMatchObject({
      code: "bad-skill",
    });
    expect(await readFile(path, "utf8")).toContain("My own words.");
    await books.restore("edited", 1, { by: "me", action: "repair" });
    expect((await books.read("edited")).text).toBe("This worked: heat {1} with microwave.");
    const kept = (await readdir(join(books.root, "edited", "versions"))).filter((name) =>
      name.startsWith("unreadable"),
    );
    expect(await readFile(join(books.root, "edited", "versions", kept[0] ?? ""), "utf8")).toContain("My own words.");
  });

  test("a field that is wrong is named", () => {
    expect(() => readSkillFile("---\nname: x\ndescription: d\nlevel: deep\n---\nText", "a/SKILL.md")).toThrow(/level/);
    expect(() => readSkillFile("no front matter", "a/SKILL.md")).toThrow(/a\/SKILL\.md/);
    expect(() => readSkillFile("---\nname: x\ndescription: d\n---\n  \n", "x")).toThrow(/0 letters/);
    expect(() => readSkillFile("---\nname: &a x\ndescription: *a\n---\ntext", "x")).toThrow(/aliases/);
  });

  test("a skill that a person wrote by hand needs no more than a name and a description", async () => {
    const books = await library();
    await mkdir(join(books.root, "by-hand"));
    await writeFile(
      join(books.root, "by-hand", "SKILL.md"),
      "---\nname: by-hand\ndescription: Mine.\n---\nAsk first.\n",
    );
    expect((await books.list()).skills).toMatchObject([{ name: "by-hand", status: "candidate", source: "person" }]);
    await decide(books, "by-hand", { decision: "promote", by: "me", why: "I know" });
    expect((await books.history("by-hand")).map(({ by, action }) => [by, action])).toEqual([
      ["hand", "added"],
      ["me", "promote"],
    ]);
  });

  test("the index is only a help: deleted, spoilt or stale, the list is the same", async () => {
    const books = await library();
    for (const name of ["a", "b", "c"]) await books.add(skill(name), act);
    const listed = await books.list();
    const index = join(books.root, "index.json");
    await writeFile(index, "{ spoilt");
    expect(await books.list()).toEqual(listed);
    await decide(books, "b", { decision: "promote", by: "me" });
    expect((await books.list()).skills.map(({ status }) => status)).toEqual(["candidate", "active", "candidate"]);
  });
});

describe("changes", () => {
  test("two writers lose nothing", async () => {
    const one = await library();
    const two = openLibrary(one.root, { date });
    const more = tries(6, 12);
    await one.add(skill("shared"), act);
    const addLink = (books: Library, trajectory: string): Promise<unknown> =>
      books.change("shared", { by: trajectory, action: "evidence" }, (now) => ({
        ...now,
        evidence: [...now.evidence, { trajectory, steps: [] }],
      }));
    await Promise.all(Array.from({ length: more }, (_, at) => addLink(at % 2 === 0 ? one : two, `more-${at}`)));
    const { evidence } = await one.read("shared");
    expect(new Set(evidence.map(({ trajectory }) => trajectory)).size).toBe(more + 1);
    expect((await one.history("shared")).map(({ number }) => number)).toEqual(
      Array.from({ length: more + 1 }, (_, at) => at + 1),
    );
    const newest = await readFile(
      join(one.root, "shared", "versions", `${String(more + 1).padStart(6, "0")}.md`),
      "utf8",
    );
    expect(await readFile(join(one.root, "shared", "SKILL.md"), "utf8")).toBe(newest);
  });

  test("two that add the same name: one adds, the other is told", async () => {
    const one = await library();
    const two = openLibrary(one.root, { date });
    const added = await Promise.all([one.add(skill("same"), act), two.add(skill("same"), act)]);
    expect(added.filter(Boolean)).toHaveLength(1);
  });

  test("a hand edit becomes a number of its own before the next change", async () => {
    const books = await library();
    await books.add(skill("mine"), act);
    const path = join(books.root, "mine", "SKILL.md");
    await writeFile(path, (await readFile(path, "utf8")).replace("This worked", "Always"));
    await decide(books, "mine", { decision: "promote", by: "me" });
    expect((await books.read("mine")).text).toMatch(/^Always/);
    expect((await books.history("mine")).map(({ by, action }) => [by, action])).toEqual([
      ["test", "extracted"],
      ["hand", "edited"],
      ["me", "promote"],
    ]);
  });

  test("a writer that was stopped half-way leaves nothing to repair", async () => {
    const books = await library();
    await books.add(skill("half"), act);
    const before = await readFile(join(books.root, "half", "SKILL.md"), "utf8");
    await decide(books, "half", { decision: "promote", by: "me" });
    await writeFile(join(books.root, "half", "SKILL.md"), before);
    await decide(books, "half", { decision: "demote", by: "me" });
    expect((await books.history("half")).map(({ action, status }) => [action, status])).toEqual([
      ["extracted", "candidate"],
      ["promote", "active"],
      ["demote", "advisory"],
    ]);
  });
});

describe("decisions", () => {
  test("each is a line of the history, with who and why, and can be taken back", async () => {
    const books = await library();
    await books.add(skill("heat"), act);
    await decide(books, "heat", { decision: "promote", by: "gate", why: "lift" });
    await decide(books, "heat", { decision: "promote", by: "gate" });
    expect((await rollBack(books, "heat", { by: "me", why: "too soon" })).status).toBe("candidate");
    expect((await rollBack(books, "heat", { by: "me", to: 2 })).status).toBe("active");
    expect((await books.history("heat")).map(({ by, action, why, status }) => [by, action, why, status])).toEqual([
      ["test", "extracted", undefined, "candidate"],
      ["gate", "promote", "lift", "active"],
      ["me", "rollback to 1", "too soon", "candidate"],
      ["me", "rollback to 2", undefined, "active"],
    ]);
    await expect(rollBack(books, "heat", { by: "me", to: 9 })).rejects.toMatchObject({ code: "unknown-name" });
  });

  test("what is in quarantine is released before it is promoted", async () => {
    const books = await library();
    await books.add(skill("odd", { status: "quarantined", concerns: ["names a secret"] }), act);
    await expect(decide(books, "odd", { decision: "promote", by: "gate" })).rejects.toMatchObject({
      code: "quarantined",
    });
    expect((await decide(books, "odd", { decision: "release", by: "me" })).concerns).toBeUndefined();
    expect((await decide(books, "odd", { decision: "promote", by: "me" })).status).toBe("active");
  });

  test("uses become statistics; a spoilt line is passed over", async () => {
    const books = await library();
    await books.add(skill("used"), act);
    const use = { at: date(), offered: true, success: true };
    await Promise.all(Array.from({ length: 4 }, (_, at) => books.report("used", { ...use, success: at !== 0 })));
    await books.report("used", { ...use, offered: false, success: false });
    await writeFile(join(books.root, "used", "uses.jsonl"), "half a li", { flag: "a" });
    expect((await books.read("used")).statistics).toMatchObject({ uses: 4, successes: 3, failures: 1, withoutUses: 1 });
    expect((await books.list()).skills[0]?.statistics.uses).toBe(4);
    await expect(books.report("nobody", use)).rejects.toMatchObject({ code: "unknown-name" });
  });
});
