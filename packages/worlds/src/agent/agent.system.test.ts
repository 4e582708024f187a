import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtChild } from "../../../../test/support/built-child.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { tries } from "../../../../test/support/thorough.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { train } from "limbeck-training/training/train";
import type { TrainEvent } from "limbeck-training/training/events";
import { scored } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { envContract } from "limbeck-core/env/env.contract";
import type { Env, Episode } from "limbeck-core/env/env";
import { checkStoredOptions } from "limbeck-core/env/stored-options";
import { callAction } from "limbeck-base/trajectory/tool-action";
import { agent } from "./index.ts";
import { createAgentWorld } from "./agent-world.ts";
import type { AgentJudge, AgentWorldOptions } from "./program.ts";
import { readAgentTasks } from "./tasks.ts";

const newFolder = temporaryFolders();
const toolAgent = builtChild("tool-agent");
const TASK: Task = { id: "agent/1", env: "agent", seed: 7, goal: "Greet the guest.", split: "train" };

/**
 * A program that talks: each line of the script is awaited in turn, with `ask(text)` and what the task says. By
 * `node:http`, because loading `fetch` would be more than half of its life.
 */
const talking = (script: string): Pick<AgentWorldOptions, "command" | "args"> => ({
  command: process.execPath,
  args: [
    "--input-type=module",
    "-e",
    `import { readFileSync, writeFileSync } from "node:fs";
     import { request } from "node:http";
     const post = (url, body) => new Promise((resolve, reject) => {
       const headers = { "content-type": "application/json", connection: "close" };
       const asked = request(url, { method: "POST", headers }, (response) => {
         let text = "";
         response.setEncoding("utf8").on("data", (part) => (text += part)).on("error", reject);
         response.on("end", () => resolve({ ok: response.statusCode === 200, text }));
       });
       asked.on("error", reject).end(JSON.stringify(body));
     });
     const messages = [];
     const ask = async (content, more = {}) => {
       messages.push({ role: "user", content });
       const { ok, text } = await post(process.env.OPENAI_BASE_URL + "/chat/completions", { model: "any", messages, ...more });
       const told = JSON.parse(text);
       if (!ok) throw new Error(told.error.message);
       messages.push(told.choices[0].message);
       return told.choices[0].message.content;
     };
     const goal = readFileSync(0, "utf8").trim();
     ${script}`,
  ],
});

function worldOf(script: string, options: Partial<AgentWorldOptions> = {}, task: Task = TASK): Env {
  return createAgentWorld({ ...talking(script), tasks: { [task.split ?? "train"]: [task] }, ...options });
}

async function played(episode: Episode, ...actions: string[]) {
  for (const action of actions) await episode.step(action);
  await episode.close();
  return [episode.ending, episode.reward, episode.success];
}

const WON = ["terminated", scored(1), true];
const NOT = ["terminated", scored(0), false];

test("what the program asks is the observation, and of a conversation that goes on only what is new", async () => {
  const env = worldOf('const name = await ask(goal); await ask(name + ", how many?");');
  const episode = await env.open(TASK);
  expect(episode.observation).toBe("Greet the guest.");
  expect((await episode.step("Hello Ann")).observation).toBe("Hello Ann, how many?");
  expect(await episode.step("two")).toMatchObject({ ending: "terminated", success: true, info: { by: "exit code" } });
  await episode.close();
});

describe("the outcome", () => {
  const guest = "const said = await ask(goal);";
  test("by the exit code", async () => {
    const env = worldOf(`${guest} process.exit(said === "hi" ? 0 : 3);`);
    expect(await played(await env.open(TASK), "hi")).toEqual(WON);
    expect(await played(await env.open(TASK), "ho")).toEqual(NOT);
  });
  test("by the last line that it prints, where the task has an answer", async () => {
    const task = { ...TASK, data: { answer: "Four." } };
    const env = worldOf(`${guest} console.log("thinking"); console.log(said);`, {}, task);
    expect(await played(await env.open(task), " four ")).toEqual(WON);
    expect(await played(await env.open(task), "five")).toEqual(NOT);
  });
  test("by a file that it writes, with a reward of its own", async () => {
    const env = worldOf(`${guest} writeFileSync(process.env.LIMBECK_OUTCOME, said);`);
    expect(await played(await env.open(TASK), '{"success":false,"reward":0.25}')).toEqual([
      "terminated",
      scored(0.25),
      false,
    ]);
    const broken = await env.open(TASK);
    expect((await broken.step("nonsense")).ending).toBe("failed");
    expect(broken.failure?.message).toContain("wrote an outcome that is none");
    await broken.close();
  });
  test("by a function, which hears the exit code and what was printed", async () => {
    const judge: AgentJudge = ({ exitCode, output, task }) =>
      output === "broken"
        ? Promise.reject(new Error("no scales"))
        : { success: exitCode === 3, reward: output.length / task.goal.length };
    const env = worldOf(`${guest} process.stdout.write(said); process.exitCode = 3;`, { judge });
    // "Greet the guest." has 16 characters.
    expect(await played(await env.open(TASK), "four")).toEqual(["terminated", scored(0.25), true]);
    const lost = await env.open(TASK);
    expect((await lost.step("broken")).ending).toBe("failed");
    expect(lost.failure?.message).toContain("could not be judged: no scales");
    await lost.close();
  });
  test("by a program that judges what lies in the copied folder", async () => {
    const folder = await newFolder();
    await mkdir(join(folder, "notes"));
    await writeFile(join(folder, "notes", "list.txt"), "milk\n");
    const judge =
      'const text = require("fs").readFileSync("notes/list.txt", "utf8"); process.exit(text === "milk\\nbread" ? 0 : 1)';
    const env = worldOf(`${guest} writeFileSync("notes/list.txt", readFileSync("notes/list.txt", "utf8") + said);`, {
      folder,
      check: [process.execPath, "-e", judge],
    });
    expect(await played(await env.open(TASK), "bread")).toEqual(WON);
    // The copy of the first run is gone: the second finds the folder as it was.
    expect(await played(await env.open(TASK), "bread")).toEqual(WON);
    expect(await played(await env.open(TASK), "butter")).toEqual(NOT);
  });
});

test("an agent of the AI SDK, unchanged: tools are offered, called by JSON, and broken calls never reach it", async () => {
  const task = { ...TASK, goal: "How many lamps?", data: { answer: "There are 4" } };
  // Imports of a module are looked for from where it lies; the program itself works in a folder of its own.
  const args = [toolAgent(), "{goal}"];
  const env = createAgentWorld({ command: process.execPath, args, tasks: { train: [task] } });
  const episode = await env.open(task);
  expect(episode.observation).toContain("- stock(item): How many of an item there are.");
  expect(episode.observation).toContain("You answer questions about stock.\n\nHow many lamps?");
  expect(await episode.step(callAction("sell", {}))).toMatchObject({ valid: false, ending: undefined });
  expect(await episode.step("{")).toMatchObject({ valid: false });
  expect((await episode.step(callAction("stock", { item: "lamp" }))).observation).toBe("Tool stock: 4 of lamp");
  expect(await episode.step("There are 4.")).toMatchObject({ success: true, info: { by: "answer" } });
  await episode.close();
});

test("a folder may be used as it is; what the program prints is kept with its last step", async () => {
  const cwd = await newFolder();
  const env = worldOf('const said = await ask(goal); writeFileSync("note.txt", said); console.log("wrote it");', {
    cwd,
  });
  const episode = await env.open(TASK);
  expect((await episode.step("hi")).info).toEqual({ by: "exit code", exitCode: 0, printed: "wrote it\n" });
  await episode.close();
  expect(await readFile(join(cwd, "note.txt"), "utf8")).toBe("hi");
  expect(() => worldOf("", { cwd, folder: cwd })).toThrow(/takes folder .* or cwd/);
});

test("one goal in the place of a file, and a program that is told nothing on standard input", async () => {
  const { command, args } = talking('await ask(goal === "" ? "silence" : goal);');
  const env = await agent.create({ command, args: [...args], goal: "Greet.", input: false });
  const [task] = [...(env.tasks("train") as Iterable<Task>)];
  const episode = await env.open(task as Task);
  expect([task?.goal, episode.observation]).toEqual(["Greet.", "silence"]);
  await episode.close();
  await expect(agent.create({ command, goal: "a", tasks: "b" })).rejects.toThrow(/tasks=FILE.jsonl, or one goal/);
});

test("streams get the same answer", async () => {
  const env = worldOf(`
    const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
      method: "POST", headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: [{ type: "text", text: goal }, { type: "image_url" }] }], stream: true }),
    });
    const parts = (await response.text()).split("\\n\\n").filter((line) => line.startsWith("data: {"));
    const said = parts.map((line) => JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? "").join("");
    process.exit(said === "hi" ? 0 : 1);`);
  const episode = await env.open(TASK);
  expect(episode.observation).toBe("Greet the guest.\n[image_url]");
  expect(await played(episode, "hi")).toEqual(WON);
});

test("an answer that must be JSON, or a tool that must be called: anything else never reaches the program", async () => {
  const schema = { type: "object", properties: { count: { type: "number" } }, required: ["count"] };
  const tools = [{ type: "function", function: { name: "stock", parameters: {} } }];
  const env = worldOf(`
    const format = { type: "json_schema", json_schema: { name: "answer", schema: ${JSON.stringify(schema)} } };
    await ask(goal, { tools: ${JSON.stringify(tools)}, tool_choice: "required" });
    messages.push({ role: "tool", tool_call_id: "call_1", content: "4" });
    const said = await ask("As JSON.", { response_format: format, tools: ${JSON.stringify(tools)} });
    process.exit(JSON.parse(said).count === 4 ? 0 : 1);`);
  const episode = await env.open(TASK);
  expect(episode.observation).toContain("Call one of them");
  expect(await episode.step("Four.")).toMatchObject({
    valid: false,
    observation: "Error: A tool must be called; there are stock.",
  });
  const { observation } = await episode.step(callAction("stock", {}));
  expect(observation).toContain(
    `Your answer is one JSON object of this schema: {"properties":{"count":{"type":"number"}}`,
  );
  const wrong = async (action: string): Promise<string> => (await episode.step(action)).observation;
  expect(await wrong("There are 4.")).toContain("must be one JSON object");
  expect(await wrong('{"count":"four"}')).toContain("does not fit its schema");
  expect(await played(episode, '{"count":4}')).toEqual(WON);
});

describe("what goes wrong is named, and no program is left behind", () => {
  const message = async (work: Promise<unknown>): Promise<string> =>
    await work.then(
      () => "",
      (error: unknown) => (error as Error).message,
    );
  test("a program that is not there, or never asks", async () => {
    const none = createAgentWorld({ command: "no-such-program", args: [], tasks: { train: [TASK] } });
    expect(await message(none.open(TASK))).toContain('The agent "no-such-program" could not be run');
    expect(await message(worldOf("process.exit(2)").open(TASK))).toContain("ended before it asked its model anything");
  });
  test("one that hangs, with what it said last", async () => {
    const script =
      'await ask(goal); console.error("waiting for a lock"); await new Promise((done) => setTimeout(done, 1e9));';
    const heard = async (): Promise<string> => {
      const episode = await worldOf(script, { timeoutMs: 300 }).open(TASK);
      expect((await episode.step("hi")).ending).toBe("failed");
      await episode.close();
      return episode.failure?.message ?? "";
    };
    // On a machine under load the program may not even start in that time; then opening fails with the same words.
    expect(await heard().catch((error: unknown) => (error as Error).message)).toContain(
      "neither asked nor ended within 300 ms",
    );
  });
  test("steps that run out end the program", async () => {
    const env = worldOf("for (;;) await ask(goal);", { maxSteps: 2 });
    expect(await played(await env.open(TASK), "a", "b")).toEqual(["truncated", scored(0), false]);
  });
  test("a copy of a program that asks something else each time is refused", async () => {
    const env = worldOf("await ask(goal); await ask(String(process.pid));");
    const episode = await env.open(TASK);
    await episode.step("hi");
    await expect(episode.fork()).rejects.toMatchObject({ code: "cannot-fork" });
    await episode.close();
  });
  test("stored options start no program", () => {
    const refused = (): void =>
      checkStoredOptions({
        id: "agent",
        world: agent,
        options: { command: "x" },
        source: "The run",
        allowed: {},
        command: "limbeck",
      });
    expect(refused).toThrow(/start a program/);
  });
  test("tasks that are none are named by their line", async () => {
    const file = join(await newFolder(), "tasks.jsonl");
    await writeFile(file, '{"goal":"a"}\n{"gaol":"b"}\n');
    expect(await message(readAgentTasks(file))).toContain("line 2 is no task");
  });
});

envContract({
  name: "agent",
  env: () =>
    Promise.resolve(
      worldOf('const a = await ask(goal); const b = await ask("You said " + a); process.exit(b === "yes" ? 0 : 1);', {
        maxSteps: 6,
      }),
    ),
  runner: { describe, test },
  candidates: () => ["yes", "no"],
  // Any words are an answer.
  invalidActions: [""],
  // Every episode is a program that is started.
  runs: tries(1, 2),
  maxActions: tries(2, 3),
});

test("an update of GRPO on the tokens of an unchanged agent, with a local model", async () => {
  const program = talking('const said = await ask(goal + " Say one word."); process.exit(said.length % 2);');
  const tasks = { train: [TASK], valid: [{ ...TASK, id: "agent/2", split: "valid" }] };
  const events: TrainEvent[] = [];
  const folder = await newFolder();
  await writeTinyModel(join(folder, "start"), 1, 512);
  await train({
    recipe: "grpo",
    env: createAgentWorld({ ...program, tasks }),
    model: join(folder, "start"),
    dir: join(folder, "run"),
    steps: 1,
    settings: { tasks: 1, group: 6, maxSteps: 4, answerTokens: 6 },
    report: { tasks: 1, split: "valid" },
    validation: { every: 0 },
    threads: 1,
    onEvent: (event) => events.push(event),
  });
  const [update] = events.filter((event) => event.kind === "update");
  expect(update?.episodes).toBe(6);
  expect(update?.metrics["trainedTokens"]).toBeGreaterThan(0);
});
