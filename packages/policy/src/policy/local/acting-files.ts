/** Which weights a model folder has, by the hashes of its files. */
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { hashFile } from "limbeck-base/base/files";
import { canonicalJson } from "limbeck-base/base/json";

/** What a policy needs to act; a training's moments are of no use to it. */
const ACTING =
  /^(config|generation_config|tokenizer|tokenizer_config|adapter_config|special_tokens_map)\.json$|^chat_template\.jinja$|^(adapter_)?model[A-Za-z0-9._-]*\.(safetensors|safetensors\.index\.json)$|^vocab\.json$|^merges\.txt$/;

/** The hash of each file by its name. */
export async function actingFiles(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => ACTING.test(name)).sort();
  const files: Record<string, string> = {};
  for (const name of names) files[name] = await hashFile(join(folder, name));
  return files;
}

export function hashOfFiles(files: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(canonicalJson(files)).digest("hex");
}
