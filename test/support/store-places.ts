/**
 * Where the contract of the store is tried: a folder, and object storage. That is the server of `object-server.ts`, or a
 * real one: LIMBECK_TEST_S3="s3://bucket/prefix?endpoint=URL", with its keys in the environment.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest";
import { localFiles } from "../../packages/store/src/store/local-files.ts";
import type { Files } from "../../packages/store/src/store/files.ts";
import { objectFiles } from "../../packages/store/src/store/object/object-files.ts";
import { ON_OBJECTS } from "./sort-tests.ts";
import { freshAddress, objectEnvironment, startObjectServer, type ObjectServer } from "./object-server.ts";

export interface StorePlace {
  /** What `openStore` is given. */
  readonly root: string;
  /** The same place below. */
  below(folder: string): string;
  readonly files: Files;
}

const REAL = process.env["LIMBECK_TEST_S3"];

type Tests = (place: () => StorePlace) => void;

/** The same tests over a folder and, in the system tier, over object storage; `place` gives a fresh one for each test. */
export function onEveryStore(tests: Tests): void {
  const over = process.env[ON_OBJECTS] === undefined ? overFolder : overObjects;
  over(tests);
}

function overFolder(tests: Tests): void {
  describe("in a folder", () => {
    tests(freshFolder());
  });
}

function overObjects(tests: Tests): void {
  describe("on object storage", () => {
    tests(freshObjects());
  });
}

function freshFolder(): () => StorePlace {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "limbeck-store-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  return () => ({ root: folder, below: (name) => join(folder, name), files: localFiles(folder) });
}

/** An address for each test, on one server, and a folder of its own for copies. */
function freshObjects(): () => StorePlace {
  let server: ObjectServer | undefined;
  let [cache, root] = ["", ""];
  const before = { ...process.env };
  beforeAll(async () => {
    if (REAL === undefined) server = await startObjectServer();
  });
  beforeEach(async () => {
    cache = await mkdtemp(join(tmpdir(), "limbeck-copies-"));
    Object.assign(process.env, server === undefined ? { LIMBECK_CACHE: cache } : objectEnvironment(cache));
    root = server === undefined ? inside(REAL ?? "", randomBytes(6).toString("hex")) : freshAddress(server);
  });
  afterEach(() => rm(cache, { recursive: true, force: true }));
  afterAll(async () => {
    await server?.close();
    process.env = before;
  });
  return () => ({ root, below: (name) => inside(root, name), files: objectFiles(root, process.env) });
}

function inside(address: string, folder: string): string {
  const [place = "", query] = address.split("?");
  return `${place}/${folder}${query === undefined ? "" : `?${query}`}`;
}
