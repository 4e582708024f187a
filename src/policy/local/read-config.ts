/** The configuration alone, of a folder that may hold no weights. */
import { join } from "node:path";
import { EngineError } from "../../base/errors.ts";
import { parseConfig } from "./config-file.ts";
import { isGguf } from "./is-gguf.ts";
import type { ModelConfig } from "./model-config.ts";
import { readJsonFile } from "./model-folder.ts";

/** `need` says, at the end of the error, what the folder is for. */
export async function readConfig(path: string, need: string): Promise<ModelConfig> {
  if (isGguf(path)) return parseConfig(await (await import("./gguf/config.ts")).readGgufConfig(path), path);
  const json = await readJsonFile(path, "config.json");
  if (json !== undefined) return parseConfig(json, join(path, "config.json"));
  throw new EngineError("not-a-model", `"${path}" has no config.json; ${need}.`);
}
