/** The checks of this machine; each really does what it checks. */
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { availableParallelism, freemem, tmpdir, totalmem } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { errorCode, errorData } from "limbeck-base/base/errors";
import { OPTIONAL_PARTS } from "limbeck-base/base/optional-part";
import { statIfThere } from "limbeck-base/base/files";
import { isObjectAddress } from "limbeck-base/base/object-address";
import type { NativeName } from "limbeck-base/base/operation";
import { scored } from "limbeck-base/trajectory/score";
import { trajectoryToJson } from "limbeck-base/trajectory/schema";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Invocation } from "../command.ts";
import { formatBytes, formatDuration, plural } from "limbeck-base/base/units";
import { LOADERS } from "../natives.ts";
import { withStore } from "../with-store.ts";

export interface Finding {
  /** "note" is information that is neither good nor bad. */
  readonly state: "ok" | "warning" | "broken" | "note";
  readonly value: string;
  /** What to do about it; given whenever something is wrong. */
  readonly hint?: string;
  /** What does not work without it. */
  readonly affects?: string;
}

type CheckFrame = Pick<Invocation, "io" | "storeRoot" | "style">;

export interface Check {
  readonly name: string;
  /** Whether this release cannot work without it. */
  readonly required: boolean;
  readonly run: (place: CheckFrame) => Finding | Promise<Finding>;
}

function check(name: string, required: boolean, run: Check["run"]): Check {
  return { name, required, run };
}

/** What a trial says: whether its answer is right, and in words what it did or what is wrong. */
interface Tried {
  readonly right: boolean;
  readonly did: string;
  readonly wrong: string;
  readonly hint?: string;
}

function trial(name: string, work: () => Promise<Tried>): Check {
  return check(name, true, async ({ io }) => {
    const started = io.now();
    const { right, did, wrong, hint = "Install again: npm ci." } = await work();
    if (!right) return { state: "broken", value: wrong, hint };
    return { state: "ok", value: `${did} in ${formatDuration(io.now() - started)}` };
  });
}

/** As `engines` in package.json says: the first minor version of each older line, and every line from 24 on. */
const OLDER_LINES: Readonly<Record<number, number>> = { 20: 19, 22: 12 };
const FROM_LINE = 24;

export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major >= FROM_LINE || minor >= (OLDER_LINES[major] ?? Infinity);
}

const node = check("Node.js", true, () => {
  const version = process.versions.node;
  if (isNewEnough(version)) return { state: "ok", value: version };
  const older = Object.entries(OLDER_LINES).map(([major, minor]) => `${major}.${minor}`);
  const needed = `${older.join(" or ")} or later of that line, or ${FROM_LINE} or later`;
  return { state: "broken", value: `${version}, but ${needed} is needed`, hint: `Install Node ${needed}.` };
});

const machine = check("machine", false, () => {
  const memory = `${formatBytes(totalmem())} memory (${formatBytes(freemem())} free)`;
  const value = `${process.platform} ${process.arch}, ${plural(availableParallelism(), "core")}, ${memory}`;
  return { state: "ok", value };
});

const duckdb = trial("DuckDB", async () => {
  const { loadDuckDB } = await import("limbeck-store/store/duckdb");
  const { DuckDBInstance, version } = await loadDuckDB();
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll("select 6 * 7")).getRows();
  connection.closeSync();
  instance.closeSync();
  const did = `${version()}, loaded and answered`;
  return { right: Number(rows[0]?.[0]) === 42, did, wrong: "answered 6 * 7 wrongly" };
});

const onnxRuntime = trial("ONNX", async () => {
  const { loadOnnxRuntime } = await import("limbeck-policy/graph/runtime");
  const { compile } = await import("limbeck-policy/graph/program");
  const { input } = await import("limbeck-policy/graph/tensor");
  const { ops } = await import("limbeck-policy/graph/build");
  const { env } = await loadOnnxRuntime();
  const given = input("x", "float32", [1]);
  const program = await compile({ twice: ops.add(given, given) }, { threads: 1 });
  const results = await program.run({ x: Float32Array.of(21) });
  await program.close();
  const did = `Runtime ${env.versions.node}, loaded and computed`;
  return { right: results["twice"]?.[0] === 42, did, wrong: "computed 21 + 21 wrongly" };
});

const sample: Trajectory = {
  id: "doctor",
  task: { id: "doctor", env: "doctor", seed: 0, goal: "come back the same", split: "test" },
  group: "doctor",
  steps: [
    {
      index: 0,
      observation: "a door",
      stateKey: "door",
      action: "open it",
      valid: true,
      reward: scored(0.5),
      span: { stream: 0, start: 1, end: 3 },
    },
  ],
  streams: [{ ids: Int32Array.of(7, 11, 13), mask: Uint8Array.of(0, 1, 1), logprobs: Float32Array.of(0, -0.25, -0.5) }],
  ending: "terminated",
  reward: scored(0.5),
  success: true,
  rewards: [],
  policy: { name: "doctor" },
};

/** Writes one trajectory to a store of its own, reads it back and compares: the whole path, not a promise of it. */
const roundTrip = trial("Parquet", async () => {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-doctor-"));
  try {
    return await withStore(folder, async (store) => {
      const writer = await store.createRun({ kind: "doctor" });
      await writer.append(sample);
      await writer.close();
      const back: Trajectory[] = [];
      for await (const trajectory of store.trajectories({ run: writer.run })) back.push(trajectory);
      return {
        right: isDeepStrictEqual(back.map(trajectoryToJson), [trajectoryToJson(sample)]),
        did: "a trajectory written, committed and read back",
        wrong: "a trajectory came back different from what was written",
        hint: "Install again (npm ci). If it stays, please report it with the output of limbeck doctor --json.",
      };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const TIGHT_BYTES = 1e9;
const CHOOSE = "Choose another folder with --store DIR or LIMBECK_STORE.";

/** Whether the folder can be written, found out by writing, and how much room is left. */
export const storeFolder = check("store", true, async ({ storeRoot, io }) => {
  if (isObjectAddress(storeRoot)) return await lookElsewhere(storeRoot);
  const near = relative(io.cwd, storeRoot);
  const shown = near === "" || near.startsWith("..") ? storeRoot : `./${near}`;
  const broken = (why: string): Finding => ({ state: "broken", value: `${shown} cannot be ${why}`, hint: CHOOSE });
  // Not there yet: the nearest folder above it is looked at.
  let existing = storeRoot;
  let found = await statIfThere(existing);
  while (found === undefined && dirname(existing) !== existing) {
    existing = dirname(existing);
    found = await statIfThere(existing);
  }
  if (found?.isDirectory() !== true) return broken(`a folder: ${existing} is a file`);
  const fault = await tryWriting(existing);
  if (fault !== undefined) return broken(`written (${fault})`);
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const value = `${shown}${existing === storeRoot ? "" : " (made when first used)"}, ${formatBytes(free)} free`;
  if (free >= TIGHT_BYTES) return { state: "ok", value };
  const hint = `Less than ${formatBytes(TIGHT_BYTES)} is little for trajectories. ${CHOOSE}`;
  return { state: "warning", value, hint };
});

/** Asks for the runs: keys, bucket and network are right where that is answered. Nothing is written. */
async function lookElsewhere(root: string): Promise<Finding> {
  const { openStore } = await import("limbeck-store/store/open-store");
  try {
    return { state: "ok", value: `${root}, ${plural((await openStore(root).runs()).length, "run")}` };
  } catch (error) {
    return { state: "broken", value: errorData(error).message, hint: CHOOSE };
  }
}

/** A folder of its own name, removed at once; nothing that is there is touched. */
async function tryWriting(folder: string): Promise<string | undefined> {
  try {
    const probe = await mkdtemp(join(folder, ".limbeck-doctor-"));
    try {
      await writeFile(join(probe, "probe"), "ok");
    } finally {
      await rm(probe, { recursive: true, force: true });
    }
    return undefined;
  } catch (error) {
    return errorCode(error) ?? String(error);
  }
}

const terminal = check("terminal", false, ({ io, style }) => {
  const colours = style.on ? "colours on" : "colours off";
  if (!io.terminal.out) return { state: "note", value: `output goes to a file or a pipe, ${colours}` };
  return { state: "ok", value: `${plural(io.terminal.columns, "column")}, ${colours}` };
});

/** Packages that not everybody needs: which are there, and how to install those that are not. */
const optionalParts = check("optional", false, async () => {
  const there: string[] = [];
  const missing: string[] = [];
  for (const name of (Object.keys(LOADERS) as NativeName[]).filter((one) => one in OPTIONAL_PARTS)) {
    await LOADERS[name]().then(
      () => there.push(name),
      (error: unknown) => {
        if (errorCode(error) !== "package-missing") throw error;
        missing.push(`${name}: ${String(errorData(error).details?.["command"])}`);
      },
    );
  }
  if (missing.length === 0) return { state: "ok", value: `all here: ${there.join(", ")}` };
  const value = there.length === 0 ? "none is" : `${there.join(", ")} are`;
  return { state: "note", value: `${value} installed; install others when you need them`, hint: missing.join("\n") };
});

/** Tools that some later release can use; none is needed now, so none is missing. */
const TOOLS: Readonly<Record<string, string>> = { "nvidia-smi": "an NVIDIA GPU", "redis-server": "Redis" };

const tools = check("tools", false, ({ io }) => {
  const folders = (io.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = Object.entries(TOOLS).filter(([tool]) => folders.some((folder) => isRunnable(join(folder, tool))));
  const also = found.length === 0 ? "" : `; found all the same: ${found.map(([, name]) => name).join(", ")}`;
  return { state: "note", value: `no GPU, no key, no Python and no server needed${also}` };
});

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not to be run, for whatever reason: that is the finding.
    return false;
  }
}

export const checks: readonly Check[] = [
  node,
  machine,
  duckdb,
  onnxRuntime,
  roundTrip,
  storeFolder,
  terminal,
  optionalParts,
  tools,
];
