/** One bad id, one bad record, one strange page: nothing of the others is lost by it. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { startScriptedProvider, type ScriptedProvider } from "../../../../examples/scripted-provider.ts";
import { limbeck, serving } from "../../../../test/support/fake-io.ts";
import { startRecording, stored, type RecordingSetup, type SetupOptions } from "../../../../test/support/recording.ts";
import { rawRequest } from "../../../../test/support/studio-client.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { EngineError } from "limbeck-base/base/errors";
import { openStore } from "../store/open-store.ts";
import type { Store, RunWriter } from "../store/store.ts";
import { outcomeOf } from "limbeck-base/trajectory/outcome";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { Recordings } from "./recordings.ts";

const newFolder = temporaryFolders();
let provider: ScriptedProvider | undefined;
let setup: RecordingSetup | undefined;
afterEach(async () => {
  await setup?.remove();
  await provider?.close();
  [setup, provider] = [undefined, undefined];
});

async function start(options: SetupOptions = {}): Promise<RecordingSetup> {
  provider = await startScriptedProvider();
  setup = await startRecording(provider.url, options);
  return setup;
}

const json = { "content-type": "application/json" };
const hello = JSON.stringify({ model: "scripted", messages: [{ role: "user", content: "hello" }] });
const say = (url: string, run: string): Promise<Response> =>
  fetch(`${url}/run/${run}/v1/chat/completions`, { method: "POST", headers: json, body: hello });

const line = (trajectory: string, more: object = {}): string =>
  JSON.stringify({
    limbeck: "call",
    v: 1,
    trajectory,
    call: `${trajectory}-1`,
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 1,
    messages: [{ role: "user", content: "hello" }],
    reply: { role: "assistant", content: "yes" },
    ...more,
  });
const ids = async (store: Store): Promise<string[]> => (await stored(store)).map(({ id }) => id).sort();

test.each(["run/a%00b", "task/a%08b", "run/x/group/%7F", "agent/%C2%85", "caller/%1B"])(
  "an id with a control character is refused at the door (%s), and what follows is stored",
  async (path) => {
    const { proxy } = await start();
    const refused = await fetch(`${proxy.url}/${path}/v1/chat/completions`, {
      method: "POST",
      headers: json,
      body: hello,
    });
    expect(refused.status).toBe(400);
    const { error } = (await refused.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe("bad-id");
    expect(error.message).toContain("control character");
    expect(provider?.requests).toEqual([]);
    expect((await say(proxy.url, "normal")).status).toBe(200);
    expect((await (setup as RecordingSetup).finish()).map(({ id }) => id)).toEqual(["normal"]);
  },
);

test("an id with a NUL that comes as a record is stored, takes feedback and is found", async () => {
  const { proxy, store, recordings, problems } = await start();
  const send = async (path: string, body: string): Promise<number> =>
    (await fetch(`${proxy.url}/limbeck/v1/${path}`, { method: "POST", headers: json, body })).status;
  expect(await send("records", `${line("a\0b", { task: { id: "t\0'" } })}\n${line("it's")}\n`)).toBe(200);
  await recordings.tick(true);
  expect(await ids(store)).toEqual(["a\0b", "it's"]);
  // Known already, by a process that has to look it up.
  const next = await Recordings.open({ store, run: "recorded" });
  next.add(JSON.parse(line("a\0b")) as Parameters<typeof next.add>[0]);
  await next.close();
  expect(await send("feedback", JSON.stringify({ trajectory: "a\0b", success: true }))).toBe(200);
  await recordings.tick(true);
  const found = await stored(store);
  expect(outcomeOf(found.find(({ id }) => id === "a\0b") as Trajectory).success).toBe(true);
  expect([found.length, problems]).toEqual([2, []]);
  const run = (words: readonly string[]) => limbeck([...words, "--store", store.root, "--json"]);
  expect((await run(["show", "a\0b"])).objects()[0]).toMatchObject({ id: "a\0b", run: "recorded" });
  const listed = (await run(["traces", "--task", "t\0'"])).objects();
  expect(listed.flatMap(({ id }) => (id === undefined ? [] : [id]))).toEqual(["a\0b"]);
});

test("a folder that an older proxy left with such an id is healed by the next one", async () => {
  const root = await newFolder();
  const journals = async (): Promise<string[]> =>
    (await readdir(join(root, "recorded"))).filter((name) => name.startsWith("journal-"));
  await (await openStore(root).createRun({ id: "recorded", kind: "record" })).close();
  // No process has this number.
  await writeFile(
    join(root, "recorded", "journal-99999999-0.calls.jsonl"),
    ["before", "a\0b", "after"].map((id) => `${line(id)}\n`).join(""),
  );
  provider = await startScriptedProvider();
  const words = ["proxy", "--port", "0", "--openai", provider.url, "--store", root, "--run", "recorded"];
  const { line: listening, stop } = await serving(words, { cwd: root });
  const url = String(listening["openai"]).replace(/\/v1$/, "");
  await (await say(url, "new")).text();
  const ended = await stop();
  expect(ended.objects().at(-1)).toMatchObject({ trajectories: 4, dropped: 0 });
  expect(await ids(openStore(root))).toEqual(["a\0b", "after", "before", "new"]);
  expect(await journals()).toEqual([]);
});

/** A store that cannot take one trajectory: its look-up fails, or the writer refuses it. */
function refusing(store: Store, fails: { query?: (sql: string) => boolean; append?: string }): Store {
  const wrapped = (writer: RunWriter): RunWriter => ({
    run: writer.run,
    append: async (trajectory) => {
      if (trajectory.id === fails.append) throw new EngineError("bad-trajectory", "It has two heads.");
      await writer.append(trajectory);
    },
    addReward: (...given) => writer.addReward(...given),
    addSkill: (...given) => writer.addSkill(...given),
    addMetrics: (...given) => writer.addMetrics(...given),
    addEvent: (...given) => writer.addEvent(...given),
    setState: (...given) => writer.setState(...given),
    commit: (...given) => writer.commit(...given),
    close: () => writer.close(),
  });
  return {
    ...store,
    openRun: async (...given) => wrapped(await store.openRun(...given)),
    query: async (sql, options) => {
      if (fails.query?.(sql) === true) throw new Error("The store cannot say.");
      return await store.query(sql, options);
    },
  };
}

test.each(["query", "append"] as const)(
  "a trajectory whose %s fails is set aside and told of; the others are stored",
  async (how) => {
    const root = await newFolder();
    const inner = openStore(root);
    const fails = how === "query" ? { query: (sql: string) => sql.includes("'poison'") } : { append: "poison" };
    const problems: string[] = [];
    const open = { store: refusing(inner, fails), run: "recorded", onProblem: (told: string) => problems.push(told) };
    const recordings = await Recordings.open(open);
    const add = (id: string): void => recordings.add(JSON.parse(line(id)) as Parameters<typeof recordings.add>[0]);
    for (const id of ["before", "poison", "after"]) add(id);
    await recordings.tick(true);
    expect(await ids(inner)).toEqual(["after", "before"]);
    expect(recordings.status()).toMatchObject({ open: 0, stored: 2, dropped: 1 });
    const aside = join(root, "recorded", "set-aside.calls.jsonl");
    expect(problems).toEqual([expect.stringContaining('"poison"')]);
    expect(problems[0]).toContain(aside);
    expect(await readFile(aside, "utf8")).toBe(`${line("poison")}\n`);
    // It does not come back with the next process, and can be imported once the cause is gone.
    await recordings.close();
    expect((await readdir(join(root, "recorded"))).filter((name) => name.startsWith("journal-"))).toEqual([]);
    const imported = await limbeck(["import", aside, "--store", join(root, "elsewhere")]);
    expect([imported.code, await ids(openStore(join(root, "elsewhere")))]).toEqual([0, ["poison"]]);
  },
);

test("a store that answers nothing at all is waited for: nothing is set aside", async () => {
  const root = await newFolder();
  const inner = openStore(root);
  let away = false;
  const store = refusing(inner, { query: () => away });
  const recordings = await Recordings.open({ store, run: "recorded" });
  away = true;
  recordings.add(JSON.parse(line("a")) as Parameters<typeof recordings.add>[0]);
  await recordings.tick(true);
  expect(recordings.status()).toMatchObject({ open: 1, stored: 0, dropped: 0, problem: "The store cannot say." });
  away = false;
  await recordings.close();
  expect([await ids(inner), recordings.status()]).toEqual([["a"], { open: 0, stored: 1, dropped: 0 }]);
});

test.each([
  ["a page of another site", { origin: "https://evil.example" }],
  ["a page without an origin", { origin: "null" }],
  ["a page of another site that sends none", { "sec-fetch-site": "cross-site" }],
])("%s is refused before the provider hears of it", async (_who, headers: Record<string, string>) => {
  const { proxy } = await start();
  const path = `${proxy.url}/run/strange/v1/chat/completions`;
  const refused = await rawRequest(path, { ...json, ...headers }, "POST");
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("bad-origin")]);
  expect((await rawRequest(`${proxy.url}/limbeck/health`, headers)).status).toBe(403);
  expect(provider?.requests).toEqual([]);
  for (const origin of [proxy.url, "http://localhost:3000", "http://[::1]:5173"]) {
    const own = { ...json, origin, "sec-fetch-site": "cross-site" };
    const answered = await fetch(`${proxy.url}/v1/chat/completions`, { method: "POST", headers: own, body: hello });
    expect([origin, answered.status]).toEqual([origin, 200]);
    await answered.text();
  }
});
