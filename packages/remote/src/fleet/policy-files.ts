/** A version of a policy as files: what they are by hash, wherever they lie. */
import { actingFiles, hashOfFiles } from "limbeck-policy/policy/local/acting-files";
import type { PolicyFiles, PolicySource } from "./job.ts";

/**
 * The files of a model folder, hashed.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const { version, files } = await describePolicy(bundledModel("household"), 1, []);
 * console.log(version, Object.keys(files).includes("config.json")); // 1 true
 */
export async function describePolicy(
  folder: string,
  version: number,
  sources: readonly PolicySource[],
): Promise<PolicyFiles> {
  const files = await actingFiles(folder);
  return { kind: "files", hash: hashOfFiles(files), version, files, sources: [...sources] };
}
