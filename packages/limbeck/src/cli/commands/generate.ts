/** `limbeck generate`: task files of a world that can make them. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { EngineError, errorCode, throwIfAborted } from "limbeck-base/base/errors";
import { neededPath } from "limbeck-base/base/given-file";
import { input } from "limbeck-base/base/input";
import { envPart } from "limbeck-worlds/env.part";
import type { GeneratedFile } from "limbeck-core/env/world";
import { defineCommand } from "../command-of.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatBytes, plural } from "limbeck-base/base/units";
import { usageError } from "../parse.ts";
import { chosenWorld } from "../play/world-options.ts";

export const generate = defineCommand({
  group: "data",
  summary: "Generate task files for an environment",
  usage: "--env ID --out DIR [--seed N] [--count N] [--split NAME] [--set NAME=VALUE …]",
  description: "The same seed gives the same files. Files that are already there are kept unless --overwrite is given.",
  input: {
    env: input.part(envPart, "ID", "The environment"),
    set: input.values("NAME=VALUE", "An option of the environment; numbers, true, false and JSON are read as such"),
    out: input.path("DIR", "Folder to write to; made when it is missing"),
    seed: input.count("N", "Which tasks", { least: 0, default: 0 }),
    count: input.count("N", "How many", { least: 0, default: 10 }),
    split: input.text("NAME", "For one split only"),
    overwrite: input.flag("Replace files that are there"),
  },
  examples: [
    "limbeck generate --env household --seed 1 --count 100 --out games",
    "limbeck generate --env household --count 5 --set dial=tiny --out games",
  ],
  line: {
    env: "the environment",
    seed: "the seed",
    files: "files written",
    bytes: "their size",
    out: "the folder",
  },
  run: async ({ set: options, seed, count, split, overwrite, ...given }, frame) => {
    const { id, world } = await chosenWorld(frame, "generate");
    if (world.generate === undefined) {
      throw usageError(`The environment "${id}" makes no task files; "limbeck envs" says which do.`);
    }
    const out = neededPath(frame, given.out, '"limbeck generate" needs --out DIR, the folder to write to.');
    const named = cleanLine(given.out ?? "");
    const progress = frame.progress({ label: `Writing to ${named}` });
    let [files, bytes] = [0, 0];
    try {
      for await (const file of world.generate({ seed, count, options, ...(split === undefined ? {} : { split }) })) {
        throwIfAborted(frame.signal);
        bytes += await writeInside(out, file, overwrite);
        files += 1;
        progress.update(files);
      }
    } finally {
      progress.end();
    }
    frame.emit({ env: id, seed, files, bytes, out });
    const { green, cyan, dim } = frame.style;
    frame.print(`${green("✓")} Wrote ${plural(files, "file")} to ${cyan(named)} ${dim(`(${formatBytes(bytes)})`)}`);
  },
});

/** A generator may be anyone's; its paths stay below the folder. */
async function writeInside(folder: string, { path, text }: GeneratedFile, overwrite: boolean): Promise<number> {
  const parts = path.split("/");
  if (isAbsolute(path) || path.includes("\\") || parts.some((part) => part === "" || part === "." || part === "..")) {
    throw new EngineError(
      "path-outside",
      `The generated path "${path}" leads out of the folder; nothing was written there.`,
    );
  }
  const target = join(folder, ...parts);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text, { flag: overwrite ? "w" : "wx" }).catch((cause: unknown) => {
    if (errorCode(cause) !== "EEXIST") throw cause;
    const message = `"${path}" is there already. Give --overwrite, or another --out.`;
    throw new EngineError("target-exists", message, { cause });
  });
  return Buffer.byteLength(text);
}
