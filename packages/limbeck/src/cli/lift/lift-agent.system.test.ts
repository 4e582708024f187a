/** Lift on somebody's own agent, with and without a skill in its prompt. No key is needed: the agents are stubs of this machine. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { says, listeningChatServer, type ChatServerDouble } from "../../../../../test/support/chat-server.ts";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";

const temporaryFolder = temporaryFolders();
let server: ChatServerDouble | undefined;
afterEach(() => server?.close());

/** Its tool is a book of rules that it opens only where its prompt says so. */
const AGENT = `
import { appendFileSync } from "node:fs";
const prompt = process.argv[2];
const codes = (city) => city[0] + city[0];
appendFileSync(process.env.SEEN_FILE, JSON.stringify({ prompt, key: process.env.OPENAI_API_KEY ?? null }) + "\\n");
const city = /Code of (\\w+)/.exec(prompt)[1];
if (city === "Broken") process.kill(process.pid, "SIGKILL");
console.log(prompt.includes("first letter twice") ? codes(city) : "I do not know.");`;

interface Made {
  readonly cwd: string;
  readonly seen: () => Promise<{ readonly prompt: string; readonly key: string | null }[]>;
}

async function made(rows: readonly object[], agent = AGENT): Promise<Made> {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "skills", "codes"), { recursive: true });
  const skill =
    "---\nname: codes\ndescription: d\nlevel: general\n---\nThe code of a city is its first letter twice.\n";
  await writeFile(join(cwd, "skills", "codes", "SKILL.md"), skill);
  const file = JSON.stringify(join(cwd, "seen.jsonl"));
  await writeFile(join(cwd, "agent.mjs"), agent.replace("process.env.SEEN_FILE", file));
  await writeFile(join(cwd, "questions.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
  const seen: Made["seen"] = async () =>
    (await readFile(join(cwd, "seen.jsonl"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { prompt: string; key: string | null });
  return { cwd, seen };
}

const lift = (cwd: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  limbeck(["lift", "--dataset", "questions.jsonl", "--yes", ...words], { cwd, env });

const COMMAND = `'${process.execPath}' agent.mjs {prompt}`;
const QUESTIONS = Array.from({ length: 8 }, (_, at) => {
  const letter = String.fromCodePoint(65 + at);
  return { prompt: `Code of ${letter}city?`, answer: letter + letter };
});

test("the agent with its own model: the skill stands in its prompt, and its last line is the answer", async () => {
  const { cwd, seen } = await made(QUESTIONS);
  const { code, objects } = await lift(cwd, ["--agent", COMMAND, "--concurrency", "4", "--json"]);
  expect(code).toBe(0);
  expect(objects().find(({ event }) => event === "lift")).toMatchObject({
    verdict: "helps",
    decision: "promote",
    status: "active",
    pairs: 8,
    success: { skill: 1, bare: 0, placebo: 0 },
  });
  const runs = await seen();
  // Three arms of 8 tasks.
  expect(runs).toHaveLength(24);
  expect(runs.filter(({ prompt }) => prompt.includes("first letter twice"))).toHaveLength(8);
  expect(runs.filter(({ prompt }) => /^Code of \w+\?$/.test(prompt))).toHaveLength(8);
  // Nobody puts a model in the place of its own.
  expect(new Set(runs.map(({ key }) => key))).toEqual(new Set([process.env["OPENAI_API_KEY"] ?? null]));
  const shown = await limbeck(["skills", "show", "codes", "--json"], { cwd });
  expect(JSON.stringify(shown.objects()[0]?.["lift"])).toContain('"policy":"the agent\'s own"');
});

test("tasks need no answer where a program judges; a run that is lost counts in no arm", async () => {
  const rows = [...QUESTIONS.map(({ prompt }) => ({ prompt })), { prompt: "Code of Broken?" }];
  const { cwd } = await made(rows, `${AGENT}\nappendFileSync("said.txt", prompt.includes("twice") ? "y" : "n");`);
  await mkdir(join(cwd, "work"));
  await writeFile(join(cwd, "work", "agent.mjs"), await readFile(join(cwd, "agent.mjs"), "utf8"));
  const check = `'${process.execPath}' -e "process.exit(require('fs').readFileSync('said.txt', 'utf8') === 'y' ? 0 : 1)"`;
  const words = ["--agent", COMMAND, "--folder", "work", "--check", check, "--concurrency", "4"];
  const { code, out, err } = await lift(cwd, words);
  expect(code).toBe(0);
  expect(out).toContain("codes: helps, active (promote)");
  expect(out).toContain("success 1.000 with it, 0.000 with nothing, 0.000 with a placebo; 8 pairs");
  expect(err.match(/A run was lost/g)).toEqual(["A run was lost"]);
});

test("with a policy the proxy is its model, and gives it the skill", async () => {
  const asking = `
    const ask = await fetch(process.env.OPENAI_BASE_URL + "/responses", { method: "POST", body: JSON.stringify({ input: process.argv[2] }) });
    console.log((await ask.json()).output[0].content[0].text);`;
  const { cwd } = await made(QUESTIONS, asking);
  server = await listeningChatServer(({ body }) => {
    const asked = JSON.stringify(body["messages"]);
    const letter = /Code of (\w)/.exec(asked)?.[1] ?? "";
    return says(asked.includes("first letter twice") ? `${letter}${letter}` : "I do not know.");
  });
  const env = { LIMBECK_CHAT_BASE_URL: server.baseUrl, LIMBECK_CHAT_MODEL: "m", LIMBECK_CHAT_API_KEY: "k" };
  const words = ["--agent", COMMAND, "--policy", "chat", "--concurrency", "4", "--json"];
  const { code, objects } = await lift(cwd, words, env);
  expect(code).toBe(0);
  expect(objects().find(({ event }) => event === "lift")).toMatchObject({
    verdict: "helps",
    success: { skill: 1, bare: 0, placebo: 0 },
  });
});

test("a second run costs nothing; another agent is asked anew; a budget of runs is never passed", async () => {
  const { cwd, seen } = await made(QUESTIONS);
  const words = ["--agent", COMMAND, "--concurrency", "4", "--json"];
  const first = await lift(cwd, [...words, "--dry-run", "--budget", "runs=9"]);
  // No pair of all three arms is there yet.
  expect([first.code, (await seen()).length]).toEqual([3, 9]);
  // The eight without a text and one placebo are known; the other 15 of 24 are run.
  expect((await lift(cwd, [...words, "--dry-run"])).objects().find(({ event }) => event === "plan")).toMatchObject({
    runs: 15,
    known: 9,
  });
  expect((await seen()).length).toBe(24);
  const again = await lift(cwd, [
    ...words,
    "--out",
    "lift.md",
    "--out",
    "lift.xml",
    "--out",
    "lift.html",
    "--out",
    "lift.json",
  ]);
  expect((await seen()).length).toBe(24);
  expect(again.objects().find(({ event }) => event === "lift")).toMatchObject({ verdict: "helps", pairs: 8 });
  const [table, junit, page, json] = await Promise.all(
    ["md", "xml", "html", "json"].map(async (ending) => await readFile(join(cwd, `lift.${ending}`), "utf8")),
  );
  expect(table).toContain("| codes | helps | 1.000 | 0.000 | 0.000 | +1.000 (");
  expect(junit).toContain('<testsuite name="limbeck lift" tests="1" failures="0">');
  expect(page).toContain("<td>codes</td><td>helps</td>");
  expect(JSON.parse(json ?? "")).toMatchObject({ skills: [{ name: "codes", verdict: "helps" }], failed: [] });
  await writeFile(join(cwd, "agent.mjs"), `${await readFile(join(cwd, "agent.mjs"), "utf8")}\n// changed`);
  await lift(cwd, [...words, "--dry-run"]);
  expect((await seen()).length).toBe(48);
});

test("what it will cost is asked first", async () => {
  const { cwd } = await made(QUESTIONS);
  const { code, err } = await limbeck(["lift", "--dataset", "questions.jsonl", "--agent", COMMAND], { cwd });
  expect([code, err]).toEqual([2, expect.stringContaining("This lift takes 24 runs at most; 0 answers are known")]);
});

test("what does not go together is refused, and so is a test in which nothing tells a success", async () => {
  const { cwd } = await made(QUESTIONS);
  const refused = async (...words: string[]): Promise<string> => {
    const { code, err } = await lift(cwd, words);
    expect(code).toBe(2);
    return err;
  };
  expect(await refused("--agent", COMMAND, "--judge")).toContain("--verdicts FILE");
  expect(await refused("--agent", COMMAND, "--budget", "usd=1")).toContain("runs=N or seconds=N");
  expect(await refused("--agent", COMMAND, "--out", "lift.doc")).toContain(".md, .html, .xml, .json");
  expect(await refused("--agent", "'node agent.mjs")).toContain("never closed");
  await writeFile(join(cwd, "questions.jsonl"), '{"prompt": "Code of Acity?"}');
  const { code, err } = await lift(cwd, ["--agent", COMMAND]);
  expect([code, err]).toEqual([3, expect.stringContaining("does not say what is right")]);
});
