/** Whether the store folder can be written, found out by writing, and how much room is left. */
import { access, mkdtemp, rm, stat, statfs, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { errorCode, errorData } from "../../base/index.ts";
import { isObjectAddress } from "../../base/object-address.ts";
import { formatBytes, plural } from "../look/units.ts";
import type { Check, Finding } from "./check.ts";

const TIGHT_BYTES = 1e9;
const CHOOSE = "Choose another folder with --store DIR or LIMBECK_STORE.";

export const storeFolder: Check = {
  name: "store",
  required: true,
  run: async ({ storeRoot, io }) => {
    if (isObjectAddress(storeRoot)) return await lookElsewhere(storeRoot);
    const near = relative(io.cwd, storeRoot);
    const shown = near === "" || near.startsWith("..") ? storeRoot : `./${near}`;
    const existing = await nearestExisting(storeRoot);
    if (!(await stat(existing)).isDirectory()) {
      return { state: "broken", value: `${shown} cannot be a folder: ${existing} is a file`, hint: CHOOSE };
    }
    const fault = await tryWriting(existing);
    if (fault !== undefined) {
      return { state: "broken", value: `${shown} cannot be written (${fault})`, hint: CHOOSE };
    }
    return describe(shown, existing === storeRoot, existing);
  },
};

/** Asks for the runs: keys, bucket and network are right where that is answered. Nothing is written. */
async function lookElsewhere(root: string): Promise<Finding> {
  const { openStore } = await import("../../store/index.ts");
  try {
    const count = (await openStore(root).runs()).length;
    return { state: "ok", value: `${root}, ${plural(count, "run")}` };
  } catch (error) {
    return { state: "broken", value: errorData(error).message, hint: CHOOSE };
  }
}

async function describe(shown: string, exists: boolean, existing: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const value = `${shown}${exists ? "" : " (made when first used)"}, ${formatBytes(free)} free`;
  if (free >= TIGHT_BYTES) return { state: "ok", value };
  return {
    state: "warning",
    value,
    hint: `Less than ${formatBytes(TIGHT_BYTES)} is little for trajectories. ${CHOOSE}`,
  };
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await access(path);
    return path;
  } catch {
    // Not there yet: the nearest folder above it is looked at.
    const parent = dirname(path);
    return parent === path ? path : nearestExisting(parent);
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
