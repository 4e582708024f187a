import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { studioClient, type Client } from "../../../../test/support/studio-client.ts";

let folder: string;
let client: Client;
const books = { run: "books" };

/** Agents of others: a shop's chats with tools, and a session with a tool that failed. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-judge-"));
  const root = join(import.meta.dirname, "../../../..");
  const session = "claude-code/-home-ann-sum/2a580003-04bb-4ee9-bd9c-8f4a0eca8b4f.jsonl";
  for (const words of [
    ["import", join(root, "examples/bookshop-agent.jsonl"), "--run", "books"],
    ["import", "--from", "claude-code", join(root, "test/samples/sessions", session), "--run", "session"],
  ]) {
    const { code, err } = await limbeck(words, { cwd: folder });
    if (code !== 0) throw new Error(err);
  }
  client = await studioClient({ root: join(folder, "runs"), write: true });
});
afterAll(async () => {
  await client.studio.close();
  await rm(folder, { recursive: true, force: true });
});

test("what nobody has counted is unknown and not zero", async () => {
  const { trajectories } = await client.ask("trajectories", { query: { run: "books" } });
  expect(trajectories.map(({ sampled, tokens, costUsd }) => [sampled, tokens, costUsd])).toEqual(
    trajectories.map(() => [null, null, null]),
  );
  // Four replies of 42 tokens each, as the session says itself.
  const [session] = (await client.ask("trajectories", { query: { run: "session" } })).trajectories;
  expect([session?.sampled, session?.tokens]).toEqual([168, null]);
});

test("a result says whose it is and whether it was an error", async () => {
  const [one] = (await client.ask("trajectories", { query: { run: "session" } })).trajectories;
  const { window, outline } = await client.ask("trajectory", { ids: { run: "session" }, query: { id: one?.id ?? "" } });
  expect(outline.map(({ error }) => error)).toEqual([false, true, false, false]);
  expect(window[1]?.messages[0]).toMatchObject({ role: "tool", tool: "Bash", error: true });
  expect(window[0]?.usage).toEqual({ promptTokens: 1_200, completionTokens: 42, costUsd: null });
});

test("words are found in what was seen, said and called", async () => {
  const find = async (text: string) => await client.ask("find", { ids: books, query: { id: "cancel-1042", text } });
  expect((await find("ELSEWHERE")).hits.map(({ step, where }) => [step, where])).toEqual([
    [0, "seen"],
    [1, "said"],
  ]);
  expect(await find("refund")).toEqual({
    total: 1,
    hits: [{ step: 2, where: "seen", excerpt: '{"ok": true, "refund": 31.5}' }],
  });
  expect((await find("nowhere at all")).total).toBe(0);
});

test("a verdict is kept as a reward with its giver, and the last word counts", async () => {
  const before = await client.ask("trajectory", { ids: books, query: { id: "cancel-1042" } });
  expect([before.outcome, before.reward, before.givenBy]).toEqual(["unknown", 1, { outcome: null, reward: null }]);
  await client.ask("judge", { ids: books, body: { id: "cancel-1042", who: "Ada", success: false } });
  const body = { id: "cancel-1042", who: "Bo", success: true, comment: "Polite.", rewards: { polite: 1 } };
  const { rewards } = await client.ask("judge", { ids: books, body });
  expect(rewards.map(({ name, source, value }) => [name, source, value])).toEqual(
    expect.arrayContaining([
      ["success", "Bo", 1],
      ["polite", "Bo", 1],
    ]),
  );
  const after = await client.ask("trajectory", { ids: books, query: { id: "cancel-1042" } });
  expect([after.outcome, after.givenBy.outcome]).toEqual(["success", "Bo"]);
  // The queue holds what nobody has judged.
  const waiting = await client.ask("trajectories", { query: { run: "books", outcome: "unknown" } });
  expect(waiting.trajectories.map(({ id }) => id)).not.toContain("cancel-1042");
  expect(waiting.total).toBe(3);
});

test("who says nothing, names nobody, or asks a server that only reads, is refused", async () => {
  const body = { id: "cancel-1042", who: "Ada" };
  expect((await client.fail("judge", { ids: books, body })).code).toBe("bad-feedback");
  expect((await client.fail("judge", { ids: books, body: { ...body, who: " ", success: true } })).code).toBe(
    "bad-request",
  );
  const nobody = { ...body, id: "nobody", success: true };
  expect(await client.fail("judge", { ids: books, body: nobody })).toMatchObject({
    status: 404,
    code: "no-trajectory",
  });
  const reader = await studioClient({ root: join(folder, "runs") });
  expect(await reader.fail("judge", { ids: books, body: { ...body, success: true } })).toMatchObject({
    status: 403,
    code: "not-writable",
  });
  await reader.studio.close();
});
