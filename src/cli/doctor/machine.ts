/** Node, the machine and the terminal. */
import { accessSync, constants } from "node:fs";
import { availableParallelism, freemem, totalmem } from "node:os";
import { delimiter, join } from "node:path";
import { formatBytes, plural } from "../look/units.ts";
import type { Check } from "./check.ts";

const NEEDED_NODE = [20, 19] as const;

export const node: Check = {
  name: "Node.js",
  required: true,
  run: () => {
    const version = process.versions.node;
    if (isNewEnough(version)) return { state: "ok", value: version };
    const needed = NEEDED_NODE.join(".");
    return {
      state: "broken",
      value: `${version}, but ${needed} or later is needed`,
      hint: `Install Node ${needed} or later.`,
    };
  },
};

export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1]);
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

export const optional: Check = {
  name: "optional",
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
    return false;
  }
}
