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
  limbeck(["skills", "lift", "--dataset", "questions.jsonl", ...words], { cwd, env });

const COMMAND = `'${process.execPath}' agent.mjs {prompt}`;
const QUESTIONS = Array.from({ length: 6 }, (_, at) => {
  const letter = String.fromCodePoint(65 + at);
  return { prompt: `Code of ${letter}city?`, answer: letter + letter };
});

test("the agent with its own model: the skill stands in its prompt, and its last line is the answer", async () => {
  const { cwd, seen } = await made(QUESTIONS);
  const { code, objects } = await lift(cwd, ["--agent", COMMAND, "--looks", "1", "--concurrency", "4", "--json"]);
  expect(code).toBe(0);
  expect(objects().find(({ event }) => event === "lift")).toMatchObject({
    verdict: "helps",
    decision: "promote",
    status: "active",
    pairs: 6,
    success: { skill: 1, bare: 0, placebo: 0 },
  });
  const runs = await seen();
  // Three arms of 6 tasks.
  expect(runs).toHaveLength(18);
  expect(runs.filter(({ prompt }) => prompt.includes("first letter twice"))).toHaveLength(6);
  expect(runs.filter(({ prompt }) => /^Code of \w+\?$/.test(prompt))).toHaveLength(6);
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
  const words = ["--agent", COMMAND, "--folder", "work", "--check", check, "--looks", "1", "--concurrency", "4"];
  const { code, out, err } = await lift(cwd, words);
  expect(code).toBe(0);
  expect(out).toContain("codes: helps, active (promote)");
  expect(out).toContain("success 1.000 with it, 0.000 with nothing, 0.000 with a placebo; 6 pairs");
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
  const words = ["--agent", COMMAND, "--policy", "chat", "--looks", "1", "--concurrency", "4", "--json"];
  const { code, objects } = await lift(cwd, words, env);
  expect(code).toBe(0);
  expect(objects().find(({ event }) => event === "lift")).toMatchObject({
    verdict: "helps",
    success: { skill: 1, bare: 0, placebo: 0 },
  });
});

test("what does not go together is told", async () => {
  const { cwd } = await made(QUESTIONS);
  const refused = async (...words: string[]): Promise<string> => {
    const { code, err } = await lift(cwd, words);
    expect(code).toBe(2);
    return err;
  };
  expect(await refused("--agent", COMMAND, "--judge")).toContain("its outcome decides");
  expect(await refused("--agent", "'node agent.mjs")).toContain("never closed");
});
