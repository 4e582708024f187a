/** The model that the inputs of an operation name. */
import { resolve } from "node:path";
import { withoutUndefined } from "limbeck-base/base/fields";
import { neededPath } from "limbeck-base/base/given-file";
import type { Context, Input } from "limbeck-base/base/operation";
import type { adaptedInputs } from "../engine.inputs.ts";
import { readAdapter } from "./adapter-files.ts";
import { bundledFolder } from "./bundled-model.ts";
import type { LocalModel } from "./local-model.ts";
import { openModel, type OpenModelOptions } from "./open-model.ts";

/** `command` is named in the error; `more` goes before what is given. The caller closes the model. */
export async function givenModel(
  command: string,
  { model, adapter, threads, weights = "auto", cache }: Partial<Input<typeof adaptedInputs>>,
  { cwd, note }: Pick<Context, "cwd" | "note">,
  more: OpenModelOptions = {},
): Promise<LocalModel> {
  return await openModel(neededModel(command, model, cwd), {
    ...withoutUndefined({ threads, weights, cache }),
    ...(adapter === undefined ? {} : { adapter: await readAdapter(resolve(cwd, adapter)) }),
    say: note,
    ...more,
  });
}

/** Where the model lies that `--model` names. */
export function neededModel(command: string, model: string | undefined, cwd: string): string {
  const need = `"limbeck ${command}" needs --model DIR, a model folder or GGUF file.`;
  return bundledFolder(model ?? "") ?? neededPath({ cwd }, model, need);
}
