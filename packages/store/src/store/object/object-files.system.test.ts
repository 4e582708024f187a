/** What the network does to the store: each time nothing is lost, nothing is there twice, and what failed says so. */
import { createHash } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { madeFrom } from "../../../../../test/support/kill-data.ts";
import {
  freshAddress,
  objectEnvironment,
  startObjectServer,
  TEST_BUCKET,
  TEST_KEYS,
  type ObjectServer,
  type Seen,
  type Trouble,
} from "../../../../../test/support/object-server.ts";
import { collect, temporaryFolder } from "../../../../../test/support/stores.ts";
import { openStore } from "../open-store.ts";
import type { Store } from "../store.ts";
import { objectFiles } from "./object-files.ts";

const cache = temporaryFolder();
const QUICK = { tries: 4, pauseMs: 1, silenceMs: 200 };
let server: ObjectServer;
let address: string;
beforeEach(async () => {
  server = await startObjectServer();
  address = freshAddress(server);
});
afterEach(() => server.close());

const environment = (): Record<string, string> => objectEnvironment(cache());
const files = (options = QUICK) => objectFiles(address, environment(), options);
const store = (): Store => openStore(address, { files: files() });
const bytes = (text: string): Buffer => Buffer.from(text);
const isCommit = ({ method, path }: Seen): boolean => method === "PUT" && path.includes("/commits/");

/** The given troubles for the first requests that fit, then none. */
function troubles(fits: (request: Seen) => boolean, ...given: Trouble[]): void {
  const left = [...given];
  server.trouble = (request) => (fits(request) ? left.shift() : undefined);
}

test("of many that create one object, one succeeds and its content stays", async () => {
  const names = ["a", "b", "c", "d", "e"];
  const created = await Promise.all(names.map((name) => files().putIfAbsent("x/y", bytes(name))));
  expect(created.filter(Boolean)).toHaveLength(1);
  expect(await files().read("x/y")).toBe(names[created.indexOf(true)]);
  expect(await files().putIfAbsent("x/y", bytes("late"))).toBe(false);
});

test("two that create one run: one wins, the other is told", async () => {
  const created = await Promise.allSettled([1, 2].map((at) => store().createRun({ id: "one", config: { at } })));
  expect(created.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(created.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: expect.stringMatching(/^run-(exists|busy)$/) },
  });
});

test("names are listed over several pages, folders among them", async () => {
  server.pageNames = 2;
  for (const name of ["a", "b", "c d", "e/x", "e/y", "f/z"]) await files().put(`run/${name}`, bytes(name));
  expect((await files().list("run")).sort()).toEqual(["a", "b", "c d", "e", "f"]);
  expect(await files().all("run")).toEqual(["run/a", "run/b", "run/c d", "run/e/x", "run/e/y", "run/f/z"]);
  expect([...(await files().sizes!("run"))]).toEqual([
    ["a", 1],
    ["b", 1],
    ["c d", 3],
  ]);
  expect(await files().list("none")).toEqual([]);
});

test.each<[Trouble[], string]>([
  [["busy", "busy", "busy"], "a server that is busy"],
  [["cut-before", "silent"], "a connection that goes, a server that says nothing"],
  [["cut-after"], "an answer that is lost after it was done"],
  [["broken", "broken"], "a server that fails after it was done"],
])("%j: a commit is stored once by %s", async (given) => {
  const writer = await store().createRun({ id: "one" });
  await writer.append(madeFrom("a"));
  troubles(isCommit, ...given);
  await writer.commit();
  await writer.append(madeFrom("b"));
  await writer.close();
  expect(await collect(store().trajectories())).toStrictEqual([madeFrom("a"), madeFrom("b")]);
  expect(await store().runs()).toMatchObject([{ commits: 2 }]);
});

test.each<[Trouble, number]>([
  ["cut-after", 1],
  ["silent", 0],
  ["busy", 0],
])("a commit whose outcome nobody knows (%s) counts once when it is committed again", async (trouble, there) => {
  const writer = await store().createRun({ id: "one" });
  await writer.append(madeFrom("a"));
  // Nothing is answered any more, not even whether the commit is there.
  let isDown = true;
  server.trouble = (request) =>
    isDown && request.path.includes("/commits/") && request.method !== "GET"
      ? trouble
      : isDown && request.path.includes("/commits/")
        ? "busy"
        : undefined;
  await expect(writer.commit()).rejects.toMatchObject({ code: "outcome-unknown" });
  await expect(writer.commit()).rejects.toMatchObject({ code: "outcome-unknown" });
  expect([...server.objects.keys()].filter((key) => key.includes("/commits/"))).toHaveLength(there);
  isDown = false;
  await writer.append(madeFrom("b"));
  await writer.close();
  expect(await collect(store().trajectories())).toStrictEqual([madeFrom("a"), madeFrom("b")]);
});

test("a commit in doubt whose number another writer took counts once, behind it", async () => {
  const [writer, other] = [await store().createRun({ id: "one" }), await store().openRun("one", { beside: true })];
  await writer.append(madeFrom("a"));
  let isDown = true;
  server.trouble = ({ path }) => (isDown && path.includes("/commits/") ? "cut-before" : undefined);
  await expect(writer.commit()).rejects.toMatchObject({
    code: expect.stringMatching(/outcome-unknown|store-unreachable/),
  });
  isDown = false;
  await other.append(madeFrom("b"));
  await other.commit();
  await writer.close();
  expect(await collect(store().trajectories())).toStrictEqual([madeFrom("b"), madeFrom("a")]);
});

test("a server that is down is asked a bounded number of times, and nothing that was appended is lost", async () => {
  const writer = await store().createRun({ id: "one" });
  await writer.append(madeFrom("a"));
  server.trouble = () => "busy";
  const asked = server.seen.length;
  const error: unknown = await store()
    .runs()
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "store-unreachable", details: { tries: 4 } });
  expect(String(error)).toContain("503, SlowDown");
  expect(server.seen.length - asked).toBe(4);
  await expect(writer.commit()).rejects.toMatchObject({ code: "store-unreachable" });
  server.trouble = () => undefined;
  await writer.close();
  expect(await collect(store().trajectories())).toStrictEqual([madeFrom("a")]);
});

test.each([true, false])("a download that breaks off goes on (server knows ranges: %s)", async (knowsRanges) => {
  server.knowsRanges = knowsRanges;
  const body = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  await files().put("run/segments/s.parquet", body);
  troubles(({ method }) => method === "GET", "half", "half", "busy");
  expect(await files().digest("run/segments/s.parquet")).toBe(createHash("sha256").update(body).digest("hex"));
  if (!knowsRanges) return;
  const ranges = server.seen.filter(({ method }) => method === "GET").map(({ headers }) => headers.range);
  // How much of a half arrives before the connection breaks is the network's; what arrived is not asked for again.
  const starts = ranges.map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? "bytes=0-")?.[1]));
  const [first, second = 0, third = 0, fourth] = starts;
  expect([starts.length, first, fourth]).toEqual([4, 0, third]);
  expect([second > 0 && second <= 150_000, third > second && third <= 225_000]).toEqual([true, true]);
});

async function withOneSegment(): Promise<{ readonly key: string; readonly location: string }> {
  const writer = await store().createRun({ id: "one" });
  await writer.append(madeFrom("a"));
  await writer.close();
  const [path = ""] = (await files().all("one/segments")).filter((name) => name.includes("steps-"));
  const key = [...server.objects.keys()].find((name) => name.endsWith(path)) ?? "";
  return { key, location: files().location(path) };
}

test("segments are fetched once, and a damaged copy is taken again", async () => {
  const { key, location } = await withOneSegment();
  const count = (): number => server.seen.filter(({ method, path }) => method === "GET" && path.endsWith(key)).length;
  for (let time = 0; time < 3; time += 1) expect(await collect(store().trajectories())).toHaveLength(1);
  expect(count()).toBe(1);
  await writeFile(location, "damaged");
  expect(await collect(store().trajectories())).toStrictEqual([madeFrom("a")]);
  expect(count()).toBe(2);
});

test("copies that went to make room are fetched again by a store that is open", async () => {
  const { location } = await withOneSegment();
  const open = openStore(address, { files: files(), keepOpen: true });
  expect((await open.query("select count(*) from steps")).rows[0]?.[0]).toBe(madeFrom("a").steps.length);
  await Promise.all(
    (await readdir(location.replace(/[^/\\]*$/, ""))).map((name) => files().copies!.drop(`one/segments/${name}`)),
  );
  expect(await collect(open.trajectories())).toStrictEqual([madeFrom("a")]);
  await open.close();
});

test("copies take no more than their share; what was used lately stays", async () => {
  const { location } = await withOneSegment();
  const small = objectFiles(address, { ...environment(), LIMBECK_CACHE_GB: "0" }, QUICK);
  const names = await small.all("one/segments");
  for (const path of names) await small.digest(path);
  // All were used just now.
  expect(await readdir(location.replace(/[^/\\]*$/, ""))).toHaveLength(names.length);
  expect(() => objectFiles(address, { ...environment(), LIMBECK_CACHE_GB: "much" }, QUICK)).toThrow(
    /LIMBECK_CACHE_GB is "much"/,
  );
});

test("a flipped bit in an object is noticed", async () => {
  const { key } = await withOneSegment();
  const object = server.objects.get(key)!;
  const damaged = Buffer.from(object.bytes);
  damaged[damaged.length >> 1]! ^= 4;
  server.objects.set(key, { ...object, bytes: damaged });
  await expect(collect(store().trajectories())).rejects.toMatchObject({
    code: "segment-damaged",
    message: expect.stringContaining(`s3://${TEST_BUCKET}/`),
  });
});

test("a server that ignores the condition is refused before anything is written", async () => {
  server.keepsConditions = false;
  await expect(store().createRun({ id: "one" })).rejects.toMatchObject({ code: "store-unfit" });
  expect([...server.objects.keys()]).toEqual([]);
});

test("wrong keys, no bucket: told without the keys", async () => {
  const secret = "another-secret";
  const wrong = objectFiles(address, { ...environment(), AWS_SECRET_ACCESS_KEY: secret }, QUICK);
  const error: unknown = await wrong.list("").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "no-access" });
  expect(String(error)).toContain("SignatureDoesNotMatch");
  expect(JSON.stringify(error) + String(error)).not.toContain(secret);
  const elsewhere = objectFiles(address.replace(TEST_BUCKET, "other-bucket"), environment(), QUICK);
  await expect(elsewhere.list("")).rejects.toMatchObject({ code: "bad-store" });
  await expect(elsewhere.read("x")).rejects.toMatchObject({ code: "bad-store" });
  for (const { headers } of server.seen) expect(JSON.stringify(headers)).not.toContain(TEST_KEYS.secret);
});

test("what is left of a deletion that broke off is no run and becomes part of none", async () => {
  await withOneSegment();
  troubles(
    ({ method, path }) => method === "DELETE" && !path.endsWith("run.json"),
    ...Array.from({ length: 40 }, () => "busy" as const),
  );
  await expect(store().deleteRun("one")).rejects.toMatchObject({ code: "store-unreachable" });
  expect(await store().runs()).toEqual([]);
  server.trouble = () => undefined;
  await expect(store().createRun({ id: "one" })).rejects.toMatchObject({ code: "run-exists" });
  await store().deleteRun("one");
  expect([...server.objects.keys()]).toEqual([]);
  await (await store().createRun({ id: "one" })).close();
});
