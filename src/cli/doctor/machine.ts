/** Node, the machine and the terminal. */
import { accessSync, constants } from "node:fs";
import { availableParallelism, freemem, totalmem } from "node:os";
import { delimiter, join } from "node:path";
import { formatBytes, plural } from "../look/units.ts";
import type { Check } from "./check.ts";

/** As `engines` in package.json says: the first minor version of each older line, and every line from 24 on. */
const OLDER_LINES: ReadonlyMap<number, number> = new Map([
  [20, 19],
  [22, 12],
]);
const FROM_LINE = 24;
const NEEDED = `${[...OLDER_LINES].map(([major, minor]) => `${major}.${minor}`).join(" or ")} or later of that line, or ${FROM_LINE} or later`;

export const node: Check = {
  name: "Node.js",
  required: true,
  run: () => {
    const version = process.versions.node;
    if (isNewEnough(version)) return { state: "ok", value: version };
    return { state: "broken", value: `${version}, but ${NEEDED} is needed`, hint: `Install Node ${NEEDED}.` };
  },
};

export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major >= FROM_LINE || minor >= (OLDER_LINES.get(major) ?? Infinity);
}

export const machine: Check = {
  name: "machine",
  required: false,
  run: () => ({
    state: "ok",
    value: `${process.platform} ${process.arch}, ${plural(availableParallelism(), "core")}, ${formatBytes(totalmem())} memory (${formatBytes(freemem())} free)`,
  }),
};

export const terminal: Check = {
  name: "terminal",
  required: false,
  run: ({ io, style }) => {
    const colours = style.on ? "colours on" : "colours off";
    if (!io.terminal.out) return { state: "note", value: `output goes to a file or a pipe, ${colours}` };
    return { state: "ok", value: `${plural(io.terminal.columns, "column")}, ${colours}` };
  },
};

/** Tools that some later release can use; none is needed now, so none is missing. */
const TOOLS: Readonly<Record<string, string>> = { "nvidia-smi": "an NVIDIA GPU", "redis-server": "Redis" };

export const tools: Check = {
  name: "tools",
  required: false,
  run: ({ io }) => {
    const folders = (io.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
    const found = Object.entries(TOOLS).filter(([tool]) => folders.some((folder) => isRunnable(join(folder, tool))));
    const names = found.map(([, name]) => name).join(", ");
    return {
      state: "note",
      value: `no GPU, no key, no Python and no server needed${names === "" ? "" : `; found all the same: ${names}`}`,
    };
  },
};

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not to be written to, for whatever reason: that is the finding.
    return false;
  }
}
