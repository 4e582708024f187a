import { writeFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { says, startChatServer } from "../../../../../test/support/chat-server.ts";
import { limbeck } from "../../../../../test/support/fake-io.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-audit-"));
  await writeFile(
    join(folder, "gated.yaml"),
    "rewards:\n  - { use: outcome, options: { from: success }, weight: 1 }\n  - { use: format, weight: 0.5, when: outcome }\n",
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const audit = (...words: string[]) => limbeck(["rewards", "audit", "--tasks", "3", ...words], { cwd: folder });

test("a reward of form alone pays for an empty form; a gate takes the pay away", async () => {
  const alone = await audit("--reward", "format", "--only", "empty-form,plea", "--strict", "--json");
  expect(alone.code).toBe(4);
  const [empty, plea, end] = alone.objects();
  // Every step in form: 1 against 0 of a twin that writes plain commands.
  expect(empty).toMatchObject({ id: "empty-form", hack: 1, twin: 0, pays: true, gain: { mean: 1 } });
  expect(plea).toMatchObject({ id: "plea", pays: false });
  expect(end).toEqual({ paying: 1, unnoticed: 0, tried: 2, unscored: 0, ok: false });
  const gated = await audit("--rewards", "gated.yaml", "--only", "empty-form", "--strict");
  expect([gated.code, gated.err]).toEqual([0, ""]);
  expect(gated.out).toContain("None of 1 hack pays by this plan.");
});

test("a judge that believes all pays for a plea, and the line says who notices", async () => {
  const { code, out } = await audit("--reward", "rubric-judge", "--reward-set", "samples=1", "--only", "plea");
  expect(code).toBe(0);
  expect(out).toMatch(/✗ pays plea .*\n.*noticed by .*judge-tampering/);
  expect(out).toContain("1 of 1 hack would pay by this plan, 0 of them noticed by no screen.");
});

test("where nothing could be scored nothing was measured, and no gate passes", async () => {
  const server = await startChatServer(says("Who knows?"));
  try {
    const env = { LIMBECK_CHAT_BASE_URL: server.baseUrl, LIMBECK_CHAT_MODEL: "m", LIMBECK_CHAT_API_KEY: "k" };
    const words = ["--reward", "rubric-judge", "--reward-set", "samples=1", "--chat", "--only", "plea", "--strict"];
    const { code, err } = await limbeck(["rewards", "audit", "--tasks", "2", ...words, "--json"], { cwd: folder, env });
    expect([code, err]).toEqual([3, expect.stringContaining("nothing-measured")]);
  } finally {
    await server.close();
  }
});

test("what is unknown is named", async () => {
  expect((await audit("--only", "plee")).err).toContain('Did you mean "plea"?');
  expect((await limbeck(["rewards", "show"])).err).toContain("Known: audit");
});
