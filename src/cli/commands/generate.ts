/** `limbeck generate`: task files of a world that can make them. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { EngineError, errorCode, throwIfAborted } from "../../base/errors.ts";
import type { GeneratedFile } from "../../env/index.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatBytes, plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { givenCount } from "../model/open-given.ts";
import { chosenWorld, givenValues, worldOption } from "../play/world-options.ts";
import { flag, text } from "../options.ts";

export const generate: Command = {
  group: "data",
  summary: "Generate task files for an environment",
  usage: "--env ID --out DIR [--seed N] [--count N] [--split NAME] [--set NAME=VALUE …]",
  description: "The same seed gives the same files. Files that are already there are kept unless --overwrite is given.",
  options: {
    ...worldOption,
    out: text("DIR", "Folder to write to; made when it is missing"),
    seed: text("N", "Which tasks. Default: 0"),
    count: text("N", "How many. Default: 10"),
    split: text("NAME", "For one split only"),
    overwrite: flag("Replace files that are there"),
  },
  examples: [
    "limbeck generate --env household --seed 1 --count 100 --out games",
    "limbeck generate --env household --count 5 --set dial=tiny --out games",
  ],
  jsonFields: {
    env: "the environment",
    seed: "the seed",
    files: "files written",
    bytes: "their size",
    out: "the folder",
  },
  run: async (invocation) => {
    const { io, style } = invocation;
    const { id, world } = await chosenWorld(invocation, "generate");
    if (world.generate === undefined) {
      throw usageError(`The environment "${id}" makes no task files; "limbeck envs" says which do.`);
    }
    const out = invocation.text("out");
    if (out === undefined) throw usageError('"limbeck generate" needs --out DIR, the folder to write to.');
    const seed = givenCount(invocation, "seed", 0, 0);
    const count = givenCount(invocation, "count", 10, 0);
    const split = invocation.text("split");
    const request = { seed, count, options: givenValues(invocation, "set"), ...(split === undefined ? {} : { split }) };
    const folder = resolve(io.cwd, out);
    const progress = invocation.progress({ label: `Writing to ${cleanLine(out)}` });
    let [files, bytes] = [0, 0];
    try {
      for await (const file of world.generate(request)) {
        throwIfAborted(io.signal);
        bytes += await writeInside(folder, file, invocation.flag("overwrite"));
        files += 1;
        progress.update(files);
      }
    } finally {
      progress.end();
    }
    if (invocation.json) invocation.printJson({ env: id, seed, files, bytes, out: folder });
    const size = style.dim(`(${formatBytes(bytes)})`);
    invocation.print(`${style.green("✓")} Wrote ${plural(files, "file")} to ${style.cyan(cleanLine(out))} ${size}`);
    return EXIT.done;
  },
};

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
    throw new EngineError("target-exists", `"${path}" is there already. Give --overwrite, or another --out.`, {
      cause,
    });
  });
  return Buffer.byteLength(text);
}
