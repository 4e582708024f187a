/** An agent's own command, run through the command line with a chat model of this machine behind it. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { says, listeningChatServer, type ChatServerDouble } from "../../../../../test/support/chat-server.ts";
import { limbeck, type Ran } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";

const newFolder = temporaryFolders();
let server: ChatServerDouble | undefined;
afterEach(() => server?.close());

/**
 * Asks what it was told to do, writes down and prints the answer, and fails where there was none. By `node:http`, because
 * loading `fetch` would be more than half of its life.
 */
const AGENT = `
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { json } from "node:stream/consumers";
const post = (url, body) => new Promise((resolve, reject) =>
  request(url, { method: "POST" }, (response) => resolve(json(response))).on("error", reject).end(JSON.stringify(body)));
const goal = process.argv[2] ?? readFileSync(0, "utf8").trim();
const { output } = await post(process.env.OPENAI_BASE_URL + "/responses", { input: goal || "nothing" });
const said = output[0].content[0].text;
writeFileSync("said.txt", said);
console.log("thinking\\n" + said);
process.exit(said === "I do not know." ? 1 : 0);`;

async function agentRun(
  words: readonly string[],
  cwd?: string,
  input?: string,
): Promise<Ran & { readonly cwd: string }> {
  const folder = cwd ?? (await newFolder());
  await server?.close();
  await writeFile(join(folder, "agent.mjs"), AGENT);
  server = await listeningChatServer(({ body }) => {
    const count = /(\d) and (\d)/.exec(JSON.stringify(body["messages"]));
    return says(count === null ? "I do not know." : String(Number(count[1]) + Number(count[2])));
  });
  const env = { LIMBECK_CHAT_BASE_URL: server.baseUrl, LIMBECK_CHAT_MODEL: "m", LIMBECK_CHAT_API_KEY: "k" };
  const ran = await limbeck(["agent", "run", ...words], {
    cwd: folder,
    env,
    ...(input === undefined ? {} : { input }),
  });
  return { ...ran, cwd: folder };
}

test("a command as it is typed: in the current folder, with what it said, its outcome, and what to do next", async () => {
  const { code, out, cwd } = await agentRun(["--run", "one", "--", process.execPath, "agent.mjs", "What are 2 and 3?"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^✓ .*agent.mjs What are 2 and 3\?: success by exit code, 1 step\n {4}thinking\n {4}5\n/);
  expect(out).toContain("1 trajectory, 1 step in run one: 1 succeeded");
  expect(out).toMatch(/look .* show agent\/1\/0 --run one\n/);
  expect(out).toMatch(/train .* train --recipe grpo --env agent --env-set command=.* --model DIR\n/);
  expect(await readFile(join(cwd, "said.txt"), "utf8")).toBe("5");
  const shown = await limbeck(["show", "agent/1/0", "--run", "one"], { cwd });
  expect([shown.code, shown.out.includes("What are 2 and 3?")]).toEqual([0, true]);
});

test("a goal on standard input, a copy of a folder, and a program that judges", async () => {
  const cwd = await newFolder();
  await mkdir(join(cwd, "project"));
  await writeFile(join(cwd, "project", "agent.mjs"), AGENT);
  const check = `'${process.execPath}' -e "process.exit(require('fs').readFileSync('said.txt', 'utf8') === '7' ? 0 : 1)"`;
  const words = ["--goal", "-", "--folder", "project", "--check", check, "--json", "--", process.execPath, "agent.mjs"];
  const { code, objects } = await agentRun(words, cwd, "What are 3 and 4?\n");
  expect(code).toBe(0);
  expect(objects()[0]).toMatchObject({ success: true, by: "check", exitCode: 0, printed: "thinking\n7\n" });
  await expect(readFile(join(cwd, "project", "said.txt"))).rejects.toThrow("ENOENT");
});

test("once for each task of a file, into a folder of its own", async () => {
  const cwd = await newFolder();
  const tasks = [
    { goal: "What are 1 and 2?", answer: "3" },
    { goal: "What are 4 and 4?", answer: "9" },
    { goal: "What?" },
  ];
  await writeFile(join(cwd, "tasks.jsonl"), tasks.map((task) => JSON.stringify(task)).join("\n"));
  const words = [
    "--tasks",
    "tasks.jsonl",
    "--group",
    "2",
    "--out",
    "kept/first",
    "--",
    process.execPath,
    "agent.mjs",
    "{goal}",
  ];
  const { code, out } = await agentRun(words, cwd);
  expect(code).toBe(0);
  expect(out.split("\n").filter((line) => /^[✓✗-] What/.test(line))).toEqual([
    "✓ What are 1 and 2?: success by answer, 1 step",
    "✓ What are 1 and 2?: success by answer, 1 step",
    "✗ What are 4 and 4?: no success by answer, 1 step",
    "✗ What are 4 and 4?: no success by answer, 1 step",
    "✗ What?: no success by exit code, 1 step",
    "✗ What?: no success by exit code, 1 step",
  ]);
  expect(out).toContain("6 trajectories, 6 steps in run first: 2 succeeded");
  expect(out).toContain('--env-set "args=[\\"agent.mjs\\",\\"{goal}\\"]"');
});

test("without a goal nothing is said on standard input", async () => {
  const { objects } = await agentRun(["--json", "--", process.execPath, "agent.mjs"]);
  expect(objects()[0]).toMatchObject({ success: false, by: "exit code" });
  expect(JSON.stringify(server?.requests.at(-1)?.body["messages"])).toContain("nothing");
});

test("what cannot be run is named, and started once", async () => {
  const counting = 'require("fs").appendFileSync("starts", "x")';
  const { code, out, err, cwd } = await agentRun(["--", process.execPath, "-e", counting]);
  expect(code).toBe(1);
  expect(err).toContain("ended before it asked its model anything");
  expect(out).not.toContain("train");
  expect(await readFile(join(cwd, "starts"), "utf8")).toBe("x");
  const none = await agentRun([]);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('needs the agent\'s command behind "--"')]);
  const both = await agentRun(["--goal", "a", "--tasks", "b", "--", "node"]);
  expect([both.code, both.err]).toEqual([2, expect.stringContaining("give one")]);
});

/** An agent with a system text, tools and settings of its own; it calls what it is told to, and says what came of it. */
const TOOL_AGENT = `
const messages = [{ role: "system", content: "You keep a stock." }, { role: "user", content: "Lamps and chairs?" }];
const parameters = { type: "object", properties: { item: { type: "string" } } };
const tools = [{ type: "function", function: { name: "stock", description: "How many there are.", parameters } }];
for (let turn = 0; turn < 4; turn += 1) {
  const body = { model: "own", messages, tools, tool_choice: "auto", temperature: 0.25, max_tokens: 77, reasoning_effort: "low" };
  const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body: JSON.stringify(body) });
  const { message, finish_reason } = (await response.json()).choices[0];
  messages.push(message);
  if (message.tool_calls === undefined) { console.log(message.content, finish_reason); break; }
  for (const { id, function: { arguments: given } } of message.tool_calls)
    messages.push({ role: "tool", tool_call_id: id, content: JSON.parse(given).item === "lamp" ? "4" : "5" });
}`;

test("a chat model reads the agent's own request and the agent its own answer: system, tools, calls at once, settings", async () => {
  const cwd = await newFolder();
  await writeFile(join(cwd, "tool-agent.mjs"), TOOL_AGENT);
  const call = (id: string, item: string): object => ({
    id,
    type: "function",
    function: { name: "stock", arguments: JSON.stringify({ item }) },
  });
  const calls = [call("call_a", "lamp"), call("call_b", "chair")];
  const asked: Readonly<Record<string, unknown>>[] = [];
  server = await listeningChatServer(({ body }) => {
    asked.push(body);
    if (asked.length > 1) return says("4 lamps and 5 chairs.");
    const message = { role: "assistant", content: "I look.", tool_calls: calls };
    return { body: { choices: [{ index: 0, message, finish_reason: "tool_calls" }], usage: {} } };
  });
  const env = { LIMBECK_CHAT_BASE_URL: server.baseUrl, LIMBECK_CHAT_MODEL: "m", LIMBECK_CHAT_API_KEY: "k" };
  const { out, code } = await limbeck(["agent", "run", "--run", "one", "--", process.execPath, "tool-agent.mjs"], {
    cwd,
    env,
  });
  expect([code, out.split("\n")[1]?.trim()]).toEqual([0, "4 lamps and 5 chairs. stop"]);
  const opening = [
    { role: "system", content: "You keep a stock." },
    { role: "user", content: "Lamps and chairs?" },
  ];
  expect(asked[0]).toMatchObject({
    model: "m",
    messages: opening,
    temperature: 0.25,
    max_tokens: 77,
    reasoning_effort: "low",
    tool_choice: "auto",
    tools: [{ type: "function", function: { name: "stock", description: "How many there are." } }],
  });
  expect(asked[1]?.["messages"]).toEqual([
    ...opening,
    { role: "assistant", content: "I look.", tool_calls: calls },
    { role: "tool", tool_call_id: "call_a", content: "4" },
    { role: "tool", tool_call_id: "call_b", content: "5" },
  ]);
  const { objects } = await limbeck(["show", "agent/1/0", "--run", "one", "--json"], { cwd });
  expect(objects()[0]).toMatchObject({
    steps: [
      {
        messages: opening,
        reply: { content: "I look.", toolCalls: [{ id: "call_a" }, { id: "call_b" }] },
        valid: true,
      },
      { messages: [{ toolCallId: "call_a" }, { toolCallId: "call_b" }], reply: { content: "4 lamps and 5 chairs." } },
    ],
  });
});
