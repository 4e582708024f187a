import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limbeck, type FakeOptions } from "../../../../../test/support/fake-io.ts";
import { RECORDED } from "../start/offers.ts";

let cwd = "";
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "limbeck-start-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));
const run = (words: readonly string[] = [], options: FakeOptions = {}) =>
  limbeck(words, { cwd, env: { HOME: cwd }, ...options });
const depend = (packages: Record<string, string>) =>
  writeFile(join(cwd, "package.json"), JSON.stringify({ dependencies: packages }));
const found = async () => (await run(["--json"])).objects().map((one) => one["found"]);

test("without words: a recorded result with its page, then what lies here; nothing is written", async () => {
  const { code, out } = await run();
  expect(code).toBe(0);
  expect(out).toContain(`Recorded (${RECORDED.page}, not run on this machine)`);
  expect(out).toContain("No agent was found here");
  expect(out).toContain("Nothing of this leaves the machine.");
  const page = await readFile(new URL(`../../../../../${RECORDED.page}`, import.meta.url), "utf8");
  for (const figure of [RECORDED.before, RECORDED.after]) expect(page).toContain(figure);
});

test("the library that builds on the others is the one that is offered", async () => {
  await depend({ ai: "^7.0.2" });
  expect(await found()).toEqual(["AI SDK 7 in package.json"]);
  await depend({ ai: "6.0.1", "@mastra/core": "1.71.0" });
  expect(await found()).toEqual(["Mastra 1 in package.json"]);
  await depend({ "@anthropic-ai/claude-agent-sdk": "latest" });
  const [offer] = (await run(["--json"])).objects();
  expect(offer).toMatchObject({ found: "Claude Agent SDK in package.json", kind: "command" });
  await writeFile(join(cwd, "package.json"), "{ no json");
  expect(await found()).toEqual(expect.arrayContaining([expect.stringContaining("No agent")]));
});

test("sessions are counted and not opened; exports and result files go by their names", async () => {
  const folder = join(cwd, ".claude", "projects", "p");
  await mkdir(folder, { recursive: true });
  // What is no session at all counts too: nothing looked into it.
  for (const name of ["a", "b"]) await writeFile(join(folder, `${name}.jsonl`), "\0");
  for (const name of ["langfuse-export.jsonl", "results-a.json", "results-b.json"])
    await writeFile(join(cwd, name), "");
  expect(await found()).toEqual([
    "2 session files of Claude Code",
    "langfuse-export.jsonl",
    "results-a.json and results-b.json",
  ]);
  const { out } = await run();
  expect(out).toContain("limbeck -- import --from claude-code");
  expect(out).toContain("limbeck -- compare results-a.json results-b.json");
});

test("a patch is written after a yes, and only then; it is a patch of the named file", async () => {
  const agent =
    'import { generateText } from "ai";\n\nawait generateText({\n  model: openai("gpt-5"),\n  prompt,\n});\n';
  await writeFile(join(cwd, "agent.mjs"), agent);
  expect((await run(["start", "--patch", "agent.mjs"], { answer: "no" })).code).toBe(0);
  await expect(readFile(join(cwd, "limbeck.patch"))).rejects.toThrow("ENOENT");
  expect((await run(["start", "--patch", "agent.mjs"])).code).toBe(2);
  expect((await run(["start", "--patch", "agent.mjs"], { answer: "y" })).code).toBe(0);
  const patch = await readFile(join(cwd, "limbeck.patch"), "utf8");
  expect(patch.split("\n").slice(2)).toEqual([
    "@@ -1,6 +1,8 @@",
    ' import { generateText } from "ai";',
    '+import { createRecorder } from "limbeck-recorder";',
    expect.stringMatching(/^\+const recorder = createRecorder\(\{ agent: "limbeck-start-/),
    " ",
    " await generateText({",
    '-  model: openai("gpt-5"),',
    '+  model: recorder.model(openai("gpt-5")),',
    "   prompt,",
    " });",
    "",
  ]);
  expect(await readFile(join(cwd, "agent.mjs"), "utf8")).toBe(agent);
  await rm(join(cwd, "limbeck.patch"));
  await writeFile(join(cwd, "client.mjs"), "const client = new OpenAI();");
  await run(["start", "--patch", "client.mjs", "--yes"]);
  expect(await readFile(join(cwd, "limbeck.patch"), "utf8")).toContain(
    "+const client = new OpenAI({ fetch: recorder.fetch });",
  );
  await rm(join(cwd, "limbeck.patch"));
  await writeFile(join(cwd, "other.mjs"), "export {};\n");
  const other = await run(["start", "--patch", "other.mjs", "--yes"]);
  expect([other.code, other.err]).toEqual([3, expect.stringContaining("has no line")]);
});
