/**
 * One library and fifty goals through everything that delivers skills: names and texts must be those that `limbeck skills select` shows.
 * What lift measures is then what agents get.
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startScriptedProvider } from "../examples/scripted-provider.ts";
import { defineWorld } from "../packages/core/src/env/world.ts";
import { envs } from "../packages/worlds/src/index.ts";
import { episodeOf } from "../packages/core/src/env/episode-of.ts";
import type { Env } from "../packages/core/src/env/env.ts";
import { createSkillServer } from "../packages/studio/src/mcp/skill-server.ts";
import { createInjector } from "../packages/recorder/src/injector.ts";
import { agentSkillFiles, cursorRule, sectionText } from "../packages/core/src/skill/install/agent-skill.ts";
import { factsOf } from "../packages/core/src/skill/install/facts.ts";
import { decide } from "../packages/core/src/skill/library/decide.ts";
import type { LiftRecord } from "../packages/core/src/skill/library/library-skill.ts";
import { openLibrary } from "../packages/core/src/skill/library/library.ts";
import { SELECTOR } from "../packages/recorder/src/selection/proven-with.ts";
import { scored } from "../packages/base/src/trajectory/score.ts";
import { says, startChatServer } from "./support/chat-server.ts";
import { limbeck } from "./support/fake-io.ts";
import { goals, library } from "./support/fifty-goals.ts";
import { startRecording } from "./support/recording.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Delivered {
  readonly names: readonly string[];
  readonly texts: readonly string[];
  /** To the letter. */
  readonly section: string;
}

/** What stands between the marks of a prompt. */
function deliveredIn(prompt: string): Delivered {
  const section = /<limbeck-skills>\n[^<]*\n<\/limbeck-skills>/.exec(prompt)?.[0] ?? "";
  const lines = section
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { readonly name: string; readonly text: string });
  return { names: lines.map(({ name }) => name), texts: lines.map(({ text }) => text), section };
}

const difference = { value: 0.5, low: 0.3, high: 0.7 };
const provenBy = (selector: string): LiftRecord => ({
  at: "2026-11-17T09:00:00.000Z",
  verdict: "helps",
  over: { bare: difference, placebo: difference },
  success: { skill: 0.9, bare: 0.4, placebo: 0.4 },
  pairs: 48,
  promptTokens: 20,
  tokensPerPoint: 0.4,
  setting: { selector },
});
const NOTICE = ',"notice":"proven with another selector (vectors 7)"';

let folder: string;
let shown: Delivered[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-one-selection-"));
  const books = openLibrary(join(folder, "skills"));
  for (const skill of library) await books.add(skill, { by: "test", action: "added" });
  // Two were proven: one by this selection, one by another.
  await decide(books, "heat", { decision: "promote", by: "test", lift: provenBy("vectors 7") });
  await decide(books, "cool", { decision: "promote", by: "test", lift: provenBy(SELECTOR) });
  await books.list();
  shown = await each(async (goal) => {
    const [choice] = (await limbeck(["skills", "select", "--goal", goal, "--json"], { cwd: folder })).objects();
    return String(choice?.["text"]);
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function each(deliver: (goal: string) => Promise<string>): Promise<Delivered[]> {
  const all: Delivered[] = [];
  for (const [goal] of goals) all.push(deliveredIn(await deliver(goal)));
  return all;
}

test("limbeck skills select: the skills that each goal is known to need, and no place left open in a text that fits", () => {
  expect(goals).toHaveLength(50);
  expect(shown.map(({ names }, at) => [goals[at]?.[0], names.filter((name) => name !== "always")])).toEqual(goals);
  const textOf = (goal: string): string | undefined => shown[goals.findIndex(([one]) => one === goal)]?.texts.at(-1);
  expect(textOf("heat some egg and put it in garbagecan")).toBe("Take egg to the microwave, then to garbagecan.");
  expect(textOf("Refund the order of ann@example.org")).toBe(
    "Look up ann@example.org in the shop, then refund the order.",
  );
  expect(textOf("Close case 42 for good")).toBe("Say that case 42 is closed.");
  expect(textOf('Rename "old name" to "new name" everywhere')).toBe(
    'Search for "old name", write "new name", run the linter.',
  );
  expect(textOf("Fix src/cart.ts so that its test passes")).toBe(
    "Run the test of src/cart.ts first; then change src/cart.ts alone.",
  );
  // Only alike: the shape says what the place stands for.
  expect(textOf("please refund my order, the lamp is broken")).toBe(
    'For goals like "Refund the broken lamp of order {1}": Check order {1} before any refund.',
  );
});

// Every other way below is compared with these to the letter, this notice included.
test("what was proven with another selector is not delivered without that notice", () => {
  const noticed = shown.filter(({ section }) => section.includes(NOTICE));
  expect(noticed.length).toBeGreaterThan(0);
  expect(noticed).toEqual(shown.filter(({ names }) => names.includes("heat")));
  expect(shown.filter(({ names }) => names.includes("cool")).length).toBeGreaterThan(0);
  expect(shown.map(({ section }) => section.split(NOTICE).length - 1)).toEqual(
    shown.map(({ section }) => section.split('"notice"').length - 1),
  );
});

test("what the agent chooses by itself was proven with another selector, ours: files, resources and prompts say so", async () => {
  const skill = await openLibrary(join(folder, "skills")).read("cool");
  const said = "proven with another selector (words 1)";
  const facts = factsOf(skill, "2026-11-19");
  const forms = [agentSkillFiles(facts)[0]?.text, cursorRule(facts, false).text, sectionText([facts])];
  for (const text of forms) expect(text).toContain(said);
  const server = await createSkillServer({ library: openLibrary(join(folder, "skills")), version: "1" });
  const [one, other] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(other as Parameters<typeof server.connect>[0]), client.connect(one)]);
  const asked = [
    await client.callTool({ name: "read_skill", arguments: { name: "cool" } }),
    await client.readResource({ uri: "skill://cool" }),
    await client.getPrompt({ name: "cool", arguments: { task: "cool some egg" } }),
  ];
  for (const answer of asked) expect(JSON.stringify(answer)).toContain(said);
  expect(JSON.stringify(await client.readResource({ uri: "skill://put" }))).not.toContain("another selector");
  await client.close();
});

test("the tool of the MCP server", async () => {
  const server = await createSkillServer({ library: openLibrary(join(folder, "skills")), version: "1" });
  const [one, other] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(other as Parameters<typeof server.connect>[0]), client.connect(one)]);
  const found = await each(async (goal) => {
    const { content } = await client.callTool({ name: "search_skills", arguments: { goal } });
    return (content as { readonly text: string }[])[0]?.text ?? "";
  });
  await client.close();
  expect(found).toEqual(shown);
});

type CreateInjector = typeof createInjector;

/** What a model of the AI SDK is asked, with the middleware in front. */
const throughMiddleware = (create: CreateInjector): Promise<Delivered[]> => {
  const { middleware } = create({ skills: join(folder, "skills") });
  return each(async (goal) => {
    const params = { prompt: [{ role: "user", content: [{ type: "text", text: goal }] }] };
    const { prompt } = (await middleware.transformParams({ params })) as {
      prompt: { role: string; content: unknown }[];
    };
    return prompt[0]?.role === "system" ? String(prompt[0].content) : "";
  });
};

test("the middleware, and the recorder's package as it is built", async () => {
  expect(await throughMiddleware(createInjector)).toEqual(shown);
  const outfile = join(folder, "recorder.mjs");
  const sources = { entryPoints: [join(root, "packages/recorder/src/index.ts")], outfile };
  await build({ ...sources, bundle: true, platform: "node", format: "esm", logLevel: "silent" });
  const built = (await import(pathToFileURL(outfile).href)) as { readonly createInjector: CreateInjector };
  expect(await throughMiddleware(built.createInjector)).toEqual(shown);
});

test("a bare client through the proxy: what the provider gets, and what the recording names", async () => {
  const provider = await startScriptedProvider();
  const setup = await startRecording(provider.url);
  try {
    const injector = createInjector({ skills: join(folder, "skills") });
    let call = 0;
    const found = await each(async (goal) => {
      call += 1;
      const body = JSON.stringify({ model: "scripted", messages: [{ role: "user", content: goal }] });
      const headers = { "content-type": "application/json", authorization: "Bearer none" };
      await injector.fetch(`${setup.proxy.url}/run/goal-${call}/v1/chat/completions`, {
        method: "POST",
        headers,
        body,
      });
      const [system] = provider.requests.at(-1)?.messages ?? [];
      return system?.role === "system" ? String(system.content) : "";
    });
    expect(found).toEqual(shown);
    const recorded = new Map((await setup.finish()).map(({ id, info }) => [id, info?.["recorder"]]));
    for (const [at, { names }] of shown.entries())
      expect(recorded.get(`goal-${at + 1}`)).toMatchObject({ skills: names });
  } finally {
    await setup.remove();
    await provider.close();
  }
});

const LAST = "terminated";

/** A world of the fifty goals; one word ends an episode, and nobody wins. */
const fifty: Env = {
  id: "fifty",
  summary: "Fifty goals.",
  maxSteps: 1,
  splits: { valid: goals.length, test: goals.length },
  tasks: (split, { offset = 0, count = goals.length } = {}) =>
    goals
      .map(([goal], at) => ({ id: `${split}-${at}`, env: "fifty", seed: at, goal, split }))
      .slice(offset, offset + count),
  open: (task) =>
    Promise.resolve(
      episodeOf(
        task,
        { ended: false },
        {
          observation: ({ ended }) => (ended ? "" : `(${task.split} ${task.seed}) ${task.goal}`),
          stateKey: ({ ended }) => String(ended),
          ending: ({ ended }) => (ended ? LAST : undefined),
          reward: () => scored(0),
          success: ({ ended }) => (ended ? false : null),
          step: () => ({ state: { ended: true }, valid: true, reward: scored(0) }),
          fork: (state) => Promise.resolve(state),
        },
      ),
    ),
};
const info = { title: "Fifty", meaning: "Fifty goals." };
// Test files share a process: the registry is left as it was.
beforeAll(
  () => void Object.assign(envs, { fifty: defineWorld({ id: "fifty", info, options: {}, create: () => fifty }) }),
);
afterAll(() => void Reflect.deleteProperty(envs, "fifty"));

interface Asked extends Delivered {
  readonly split: string;
  readonly at: number;
}

/** The prompts that a chat model gets from a command that plays the world. */
async function askedBy(words: readonly string[], end: object, cwd = folder): Promise<Asked[]> {
  const server = await startChatServer(says("done"));
  try {
    const env = { LIMBECK_CHAT_BASE_URL: server.baseUrl, LIMBECK_CHAT_MODEL: "m", LIMBECK_CHAT_API_KEY: "k" };
    const world = ["--env", "fifty", "--policy", "chat", "--form", "plain", "--library", "skills", "--json"];
    const ran = await limbeck([...words, ...world], { cwd, env });
    expect({ err: ran.err, code: ran.code, ...ran.objects().at(-1) }).toMatchObject({ err: "", ...end });
    return server.requests.map(({ body }) => {
      const [first] = (body["messages"] as { role: string; content: string }[]).filter(({ role }) => role === "user");
      const [, split = "", at = ""] = /\((\w+) (\d+)\)/.exec(first?.content ?? "") ?? [];
      return { split, at: Number(at), ...deliveredIn(first?.content ?? "") };
    });
  } finally {
    await server.close();
  }
}

test("a rollout", async () => {
  const asked = await askedBy(["rollout", "--split", "test", "--group", "1", "--count", "50", "--run", "fifty"], {
    code: 0,
  });
  expect(asked).toHaveLength(50);
  for (const { at, names, texts, section } of asked) expect({ names, texts, section }).toEqual(shown[at]);
});

test("lift: all together get what is delivered; each alone, what it is there", async () => {
  // Nothing is decided by it: no difference is too small to be worthwhile.
  const words = ["lift", "--worthwhile", "0", "--tasks", "240", "--yes"];
  // One in use is longer than the budget: no prompt gets it, so it was not measured, and the gate does not pass.
  // It writes what it found into the library: a copy, since tests run in any order.
  const copy = join(folder, "lifted");
  await cp(join(folder, "skills"), join(copy, "skills"), { recursive: true });
  const asked = await askedBy(words, { code: 4, gate: "failed", unmeasured: ["heat-long"] }, copy);
  const isPlacebo = ({ names }: Asked): boolean => names.some((name) => name.startsWith("note-"));
  const withSkills = asked.filter((one) => one.section !== "" && !isPlacebo(one));
  const together = withSkills.filter(({ split }) => split === "test");
  expect(together).toHaveLength(50);
  // What is proven here is delivered without the notice of an earlier proof, so that is what is measured.
  for (const { at, names, texts, section } of together) {
    const delivered = shown[at] as Delivered;
    expect({ names, texts, section }).toEqual({ ...delivered, section: delivered.section.replaceAll(NOTICE, "") });
  }
  // Each alone gets as many prompts as it has goals; one that stands in what is delivered has the same text there.
  const alone = withSkills.filter(({ split }) => split === "valid");
  let compared = 0;
  for (const { at, names, texts } of alone) {
    expect(names).toHaveLength(1);
    const place = shown[at]?.names.indexOf(names[0] ?? "") ?? -1;
    if (place === -1) continue;
    expect(texts[0]).toBe(shown[at]?.texts[place]);
    compared += 1;
  }
  expect(compared).toBe(shown.reduce((sum, { names }) => sum + names.length, 0));
  // The placebo stands in the same frame, and its name tells nothing.
  expect(asked.filter(isPlacebo).filter(({ split }) => split === "test")).toHaveLength(50);
});
