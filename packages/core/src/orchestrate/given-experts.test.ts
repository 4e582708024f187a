import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { says, startChatServer } from "../../../../test/support/chat-server.ts";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";

const newFolder = temporaryFolders();
const WORLD = ["--env", "household", "--env-set", "dial=tiny"];
const FILE = {
  costWeight: 0.1,
  turns: null,
  mostCalls: 1,
  actsItself: false,
  experts: [
    { name: "helper", description: "every errand", price: 2, demonstrator: "expert" },
    {
      name: "heater",
      description: "hot things",
      price: 1,
      demonstrator: "expert",
      families: ["pick_heat_then_place_in_recep"],
    },
    { name: "adviser", description: "a chat", price: 1, chat: true, skill: "Say the next command." },
  ],
};
async function folderWith(file: unknown): Promise<string> {
  const folder = await newFolder();
  await writeFile(join(folder, "experts.json"), typeof file === "string" ? file : JSON.stringify(file));
  return folder;
}

test("a model in a world with experts is confined to asking and stopping, and pays", async () => {
  const cwd = await folderWith(FILE);
  await writeTinyModel(join(cwd, "model"), 1, 1_536);
  const server = await startChatServer(says("look"));
  onTestFinished(() => server.close());
  const env = { LIMBECK_CHAT_BASE_URL: server.baseUrl, LIMBECK_CHAT_MODEL: "m" };
  const words = ["rollout", ...WORLD, "--experts", "experts.json", "--policy", "model", "--restrict"];
  const { code, err } = await limbeck(
    [...words, "--count", "1", "--group", "3", "--max-steps", "4", "--run", "asked", "--threads", "1"],
    { cwd, env },
  );
  expect([code, err]).toEqual([0, expect.any(String)]);
  const sql = "select action, valid, observation from steps";
  const steps = (await limbeck(["sql", "--run", "asked", sql, "--json"], { cwd })).objects();
  expect(steps.length).toBeGreaterThan(0);
  for (const { action, valid, observation } of steps) {
    expect(action).toMatch(/^(ask (helper|heater|adviser)|stop)$/);
    expect(valid).toBe(true);
    expect(observation).toMatch(/ask helper \(costs 2\): every errand|heater says: I do not know\.$/);
  }
});

test("maestro trains with experts, and says what it needs without", async () => {
  const cwd = await folderWith({ ...FILE, experts: FILE.experts.slice(0, 1) });
  await writeTinyModel(join(cwd, "model"), 1, 1_536);
  const words = ["train", "--recipe", "maestro", ...WORLD, "--model", "model", "--steps", "1", "--threads", "1"];
  const small = ["--set", "tasks=1", "--set", "group=4", "--report-tasks", "1", "--validate-every", "0"];
  const without = await limbeck([...words, ...small, "--dir", "plain"], { cwd });
  expect(without.code).not.toBe(0);
  expect(without.err).toContain("--experts FILE");
  const { code, err } = await limbeck([...words, ...small, "--dir", "asking", "--experts", "experts.json"], { cwd });
  expect([code, err]).toEqual([0, expect.any(String)]);
  const away = await limbeck([...words, ...small, "--dir", "away", "--experts", "experts.json", "--lag", "1"], { cwd });
  expect(away.err).toContain("--experts cannot go with --fleet or --lag");
});

test.each([
  ["no file", undefined, /Cannot read the experts/, 3],
  ["no JSON", "{", /is not JSON/, 3],
  ["no experts", { experts: [] }, /not a list of experts/, 3],
  ["an unknown script", { experts: [{ name: "x", description: "", price: 1, demonstrator: "nobody" }] }, /nobody/, 2],
  [
    "an impossible name",
    { experts: [{ name: "a:b", description: "", price: 1, demonstrator: "expert" }] },
    /cannot be the name/,
    3,
  ],
])("refused: %s", async (_, file, message, exit) => {
  const cwd = file === undefined ? await newFolder() : await folderWith(file);
  const { code, err } = await limbeck(["rollout", ...WORLD, "--experts", "experts.json", "--policy", "expert"], {
    cwd,
  });
  expect(err).toMatch(message);
  expect(code).toBe(exit);
});
