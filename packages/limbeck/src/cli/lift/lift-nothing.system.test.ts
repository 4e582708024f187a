/** A lift without pairs has measured nothing: it fails, records nothing, and no gate passes by it. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck, type Ran } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";

const temporaryFolder = temporaryFolders();
const AGENT = `'${process.execPath}' -e "console.log(process.argv[1].includes('twice') ? 'AA' : '?')" {prompt}`;

type Skill = readonly [name: string, goals: string, status: string];

/** Lifts a library of these skills on these questions; an agent that knows the code only where its prompt says it. */
async function lift(skills: readonly Skill[], prompts: readonly string[], ...words: string[]): Promise<Ran> {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "skills"));
  for (const [name, goals, status] of skills) {
    await mkdir(join(cwd, "skills", name));
    const head = `name: ${name}\ndescription: d\nstatus: ${status}\nwhen: { goals: [${goals}] }`;
    await writeFile(join(cwd, "skills", name, "SKILL.md"), `---\n${head}\n---\nThe code is its first letter twice.\n`);
  }
  const rows = prompts.map((prompt) => JSON.stringify({ prompt, answer: "AA" }));
  await writeFile(join(cwd, "questions.jsonl"), rows.join("\n"));
  const ran = await limbeck(["lift", ...words, "--yes", "--agent", AGENT, "--dataset", "questions.jsonl", "--json"], {
    cwd,
  });
  const shown = await Promise.all(
    skills.map(async ([name]) => (await limbeck(["skills", "show", name, "--json"], { cwd })).objects()[0]),
  );
  return { ...ran, out: JSON.stringify(shown) };
}

const CODE: Skill = ["code", '"Code of {1}?"', "active"];
const MAIL: Skill = ["mail", '"Refund the order of [redacted email]"', "active"];

test("no task fits: an error with its reason and exit code 3, and the skill keeps no record of it", async () => {
  const { code, err, out } = await lift([CODE], ["Sing a song", "Dance"]);
  expect([code, err]).toEqual([
    3,
    expect.stringContaining("Nothing was measured, and no gate passes: no task fits code"),
  ]);
  expect(out).not.toContain('"lift"');
});

test("nothing to test is no test that passes", async () => {
  const { code, err } = await lift([["old", '"Code of {1}?"', "archived"]], ["Code of Acity?"]);
  expect([code, err]).toEqual([3, expect.stringContaining("no candidate and no skill in use")]);
});

test("one is measured and another in use is not: the gate fails for it; a candidate that nobody named does not count", async () => {
  const prompts = ["Code of Acity?", "Code of Away?"];
  const mixed = await lift([CODE, MAIL], prompts);
  expect([mixed.code, mixed.objects]).toEqual([4, expect.any(Function)]);
  expect((await lift([CODE, ["song", '"Sing {1}"', "candidate"]], prompts)).code).toBe(0);
  expect((await lift([CODE, ["song", '"Sing {1}"', "candidate"]], prompts, "code", "song")).code).toBe(4);
});

test("a skill that was learnt on a redacted goal is measured on live ones", async () => {
  const live = ["Refund the order of ann@example.org", "Refund the order of bob@example.com", "Sing a song"];
  const { code, out } = await lift([MAIL], live);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject([{ lift: { pairs: 2, success: { skill: 1, bare: 0, placebo: 0 } } }]);
});
