/** Feedback that comes after a trajectory was stored: every reader of the store tells the same outcome. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startScriptedProvider } from "../examples/scripted-provider.ts";
import { limbeck } from "./support/fake-io.ts";
import { startRecording } from "./support/recording.ts";
import { studioClient } from "./support/studio-client.ts";

const chats = fileURLToPath(new URL("../examples/bookshop-agent.jsonl", import.meta.url));
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-feedback-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What is said of each trajectory: its id, whether it succeeded, its score. */
type Outcomes = readonly (readonly [id: string, success: boolean | null, score: number | null])[];

async function ask(root: string, ...words: string[]): Promise<Record<string, unknown>[]> {
  const { code, err, objects } = await limbeck([...words, "--store", root, "--json"]);
  expect([code, err]).toEqual([0, expect.not.stringContaining("error")]);
  return objects();
}

const byId = (told: Outcomes): Outcomes => [...told].sort(([left], [right]) => (left < right ? -1 : 1));

/** Each reader's own way to ask for outcomes, by its name. */
async function listedBy(root: string, run: string): Promise<Record<string, Outcomes>> {
  const sql = await ask(root, "sql", "select id, success, reward from trajectories");
  const traces = await ask(root, "traces");
  const client = await studioClient({ root });
  try {
    const { trajectories } = await client.ask("trajectories");
    const { rows } = await client.ask("sql", { body: { sql: "select id, success, reward from trajectories" } });
    const shown: Outcomes[number][] = [];
    const detailed: Outcomes[number][] = [];
    for (const { id } of trajectories) {
      const [told] = await ask(root, "show", id);
      const reward = told?.["reward"] as { value?: number };
      shown.push([id, told?.["success"] as boolean | null, reward.value ?? null]);
      const detail = await client.ask("trajectory", { ids: { run }, query: { id } });
      detailed.push([id, successOf(detail.outcome), detail.reward]);
    }
    return {
      show: shown,
      sql: sql.map(({ id, success, reward }) => [id, success, reward] as unknown as Outcomes[number]),
      traces: traces.flatMap(({ id, success, score }) =>
        id === undefined ? [] : [[id, success, score] as unknown as Outcomes[number]],
      ),
      "studio's list": trajectories.map(({ id, outcome, reward }) => [id, successOf(outcome), reward]),
      "studio's page": detailed,
      "studio's SQL": rows as unknown as Outcomes,
    };
  } finally {
    await client.studio.close();
  }
}

const successOf = (outcome: string): boolean | null => (outcome === "unknown" ? null : outcome === "success");

/** Readers that count: what they say of how many succeeded. */
async function countedBy(root: string, run: string): Promise<Record<string, unknown>> {
  const target = ["--format", "openai-chat", "--out", join(folder, "good.jsonl"), "--overwrite"];
  const [written] = await ask(root, "export", "--where", "success", ...target);
  const extracted = (await ask(root, "skills", "extract", "--dry-run")).at(-1);
  const [evaluated] = await ask(root, "eval", "--run", run);
  const client = await studioClient({ root });
  try {
    const { runs } = await client.ask("runs");
    const { outcomes } = await client.ask("facets");
    return {
      export: written?.["trajectories"],
      extract: extracted?.["succeeded"],
      eval: evaluated?.["solved"],
      unjudged: evaluated?.["unjudged"],
      "studio's run": [runs[0]?.stored?.value, runs[0]?.stored?.tasks],
      "studio's filter": outcomes,
    };
  } finally {
    await client.studio.close();
  }
}

async function expectEverywhere(root: string, run: string, told: Outcomes): Promise<void> {
  for (const [reader, listed] of Object.entries(await listedBy(root, run))) {
    expect([reader, byId(listed)]).toEqual([reader, byId(told)]);
  }
  const good = told.filter(([, success]) => success === true).length;
  const bad = told.filter(([, success]) => success === false).length;
  expect(await countedBy(root, run)).toEqual({
    export: good,
    extract: good,
    eval: good,
    unjudged: told.length - good - bad,
    "studio's run": [good / (good + bad), good + bad],
    "studio's filter": expect.arrayContaining([
      { value: "success", count: good },
      { value: "failure", count: bad },
    ]),
  });
}

test("on imported chats, by command: every reader agrees, also where feedback contradicts and after compaction", async () => {
  const root = join(folder, "runs");
  await ask(root, "import", chats, "--run", "shop");
  await ask(root, "feedback", "status-1101", "--success");
  await ask(root, "feedback", "cancel-1077", "--success", "--score", "0.9");
  await ask(root, "feedback", "cancel-1077", "--failure", "--score", "0.25");
  await ask(root, "feedback", "cancel-1080", "--failure", "--comment", "the wrong order");
  await ask(root, "feedback", "cancel-1042", "--success", "--reward", "polite=0");
  // The chats themselves gave 1, 0, 1 and no reward, and said of none whether it succeeded.
  const told: Outcomes = [
    ["cancel-1042", true, 1],
    ["cancel-1077", false, 0.25],
    ["cancel-1080", false, 1],
    ["status-1101", true, null],
  ];
  await expectEverywhere(root, "shop", told);
  const { out } = await limbeck(["show", "cancel-1077", "--store", root]);
  expect(out).toMatch(/✗ no success · reward 0\.25\n$/);
  // Who said that it succeeded has said how it went: nothing after that says it is not known.
  expect((await limbeck(["show", "status-1101", "--store", root])).out).toMatch(/✓ success\n$/);
  await ask(root, "compact");
  await expectEverywhere(root, "shop", told);
}, 120_000);

test("on recorded runs, through the proxy: before the trajectory is stored, after it, and by command", async () => {
  const provider = await startScriptedProvider();
  const setup = await startRecording(provider.url);
  const { proxy, recordings, store, problems } = setup;
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { "content-type": "application/json", authorization: "Bearer none" };
    const response = await fetch(`${proxy.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    expect([response.ok, await response.text()]).toEqual([true, expect.anything()]);
  };
  const chat = async (id: string): Promise<void> =>
    await post(`/run/${id}/v1/chat/completions`, {
      model: "scripted",
      messages: [{ role: "user", content: `hello from ${id}` }],
    });
  const feedback = async (body: object): Promise<void> => await post("/limbeck/v1/feedback", body);
  try {
    await feedback({ trajectory: "early", success: true });
    for (const id of ["early", "late", "disputed", "silent"]) await chat(id);
    await feedback({ trajectory: "disputed", success: false, score: 0.5 });
    await recordings.tick(true);
    await feedback({ trajectory: "late", success: false });
    await recordings.tick();
    await ask(store.root, "feedback", "disputed", "--success");
    expect(problems).toEqual([]);
    await expectEverywhere(store.root, "recorded", [
      ["early", true, null],
      ["late", false, null],
      ["disputed", true, 0.5],
      ["silent", null, null],
    ]);
  } finally {
    await setup.remove();
    await provider.close();
  }
}, 120_000);
