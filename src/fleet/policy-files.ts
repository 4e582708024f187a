/** A version of a policy as files: what they are by hash, wherever they lie. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson } from "../base/index.ts";
import type { PolicyFiles, PolicySource } from "./job.ts";

/** What a policy needs to act; a training's moments are of no use to it. */
const ACTING =
  /^(config|generation_config|tokenizer|tokenizer_config|adapter_config|special_tokens_map)\.json$|^chat_template\.jinja$|^(adapter_)?model[A-Za-z0-9._-]*\.(safetensors|safetensors\.index\.json)$|^vocab\.json$|^merges\.txt$/;

/**
 * The files of a model folder, hashed.
 *
 * @example
 * import { bundledModel } from "limbeck/policy/local";
 *
 * const { version, files } = await describePolicy(bundledModel("household"), 1, []);
 * console.log(version, Object.keys(files).includes("config.json")); // 1 true
 */
export async function describePolicy(
  folder: string,
  version: number,
  sources: readonly PolicySource[],
): Promise<PolicyFiles> {
  const names = (await readdir(folder)).filter((name) => ACTING.test(name)).sort();
  const files: Record<string, string> = {};
  for (const name of names) files[name] = await hashFile(join(folder, name));
  return { kind: "files", hash: hashOfFiles(files), version, files, sources: [...sources] };
}

export function hashOfFiles(files: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(canonicalJson(files)).digest("hex");
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
