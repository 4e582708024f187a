/** Commands over a store on object storage, given by its address. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { madeFrom } from "../../../../../test/support/kill-data.ts";
import {
  freshAddress,
  objectEnvironment,
  startObjectServer,
  TEST_KEYS,
  type ObjectServer,
} from "../../../../../test/support/object-server.ts";
import { openStore } from "limbeck-store/store/open-store";

let server: ObjectServer;
let [folder, address] = ["", ""];
const before = { ...process.env };
beforeAll(async () => {
  server = await startObjectServer();
  folder = await mkdtemp(join(tmpdir(), "limbeck-elsewhere-"));
  Object.assign(process.env, objectEnvironment(join(folder, "copies")));
});
afterAll(async () => {
  process.env = before;
  await server.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  address = freshAddress(server);
  for (const [id, day] of [
    ["old", 1],
    ["new", 2],
  ] as const) {
    const store = openStore(address, { now: () => new Date(`2026-01-0${day}T00:00:00.000Z`) });
    const writer = await store.createRun({ id });
    await writer.append(madeFrom(`${id}-a`));
    await writer.close();
  }
});

test("runs, sql and show read it; no output holds a key", async () => {
  const listed = await limbeck(["runs", "--store", address]);
  expect(listed.code).toBe(0);
  expect(listed.out).toMatch(/^old .*\n.*new /ms);
  expect(listed.out).toContain("2 runs");
  const counted = await limbeck(["sql", "--store", address, "--json", "select count(*) as n from trajectories"]);
  expect(JSON.parse(counted.out)).toEqual({ n: 2 });
  const shown = await limbeck(["show", "--store", address, "old-a"]);
  expect(shown.out).toContain(madeFrom("old-a").steps[0]?.action);
  for (const { out, err } of [listed, counted, shown]) expect(out + err).not.toContain(TEST_KEYS.secret);
});

test("runs copy brings one run or all into a folder, once", async () => {
  const to = await mkdtemp(join(folder, "to-"));
  expect(await limbeck(["runs", "copy", address, to, "--run", "ol"])).toMatchObject({ code: 0 });
  expect(await readdir(to)).toEqual(["old"]);
  const { out } = await limbeck(["runs", "copy", address, to, "--json"]);
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([
    { id: "new", copied: true },
    { id: "old", copied: false, files: 0 },
  ]);
  expect(await limbeck(["runs", "copy", address])).toMatchObject({ code: 2 });
});

test("runs keep deletes what no rule keeps, after a yes", async () => {
  expect(await limbeck(["runs", "keep", "--store", address])).toMatchObject({ code: 2 });
  const asked = await limbeck(["runs", "keep", "--last", "1", "--store", address]);
  expect(asked.err).toContain("Add --yes");
  const kept = await limbeck(["runs", "keep", "--last", "1", "--compact", "--yes", "--store", address]);
  expect(kept.code).toBe(0);
  expect(kept.out).toContain("Deleted 1 run");
  expect((await openStore(address).runs()).map(({ id }) => id)).toEqual(["new"]);
});

test("what needs a folder says so; a missing key is named", async () => {
  const proxy = await limbeck(["proxy", "--store", address, "--for", "1s"]);
  expect(proxy.code).toBe(2);
  expect(proxy.err).toContain("this needs a folder");
  delete process.env["AWS_SECRET_ACCESS_KEY"];
  try {
    const { code, err } = await limbeck(["runs", "--store", address]);
    expect(code).toBe(2);
    expect(err).toMatch(/set\s+AWS_SECRET_ACCESS_KEY/);
  } finally {
    process.env["AWS_SECRET_ACCESS_KEY"] = TEST_KEYS.secret;
  }
});
