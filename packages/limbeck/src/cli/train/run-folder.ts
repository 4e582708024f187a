/** The folder of a run that is trained. */
import { resolve } from "node:path";
import { dropEmpty, foldersToCome } from "limbeck-base/base/empty-folders";
import { isObjectAddress } from "limbeck-base/base/object-address";
import { newRunFolder } from "limbeck-training/training/parts";
import type { Invocation } from "../command.ts";

/** Where the episodes go, where that is not the folder that holds the run's. */
export function givenStore({ storeRoot }: Invocation): { readonly store?: string } {
  return isObjectAddress(storeRoot) ? { store: storeRoot } : {};
}

/** The folder given by --dir, or a new one in the store, named after what is run and the time. */
export async function givenRunFolder(invocation: Invocation, name: string): Promise<string> {
  const { io, storeRoot } = invocation;
  const given = invocation.text("dir");
  if (given !== undefined) return resolve(io.cwd, given);
  // Weights and checkpoints are files of this machine, wherever the episodes go.
  const folder = isObjectAddress(storeRoot) ? resolve(io.cwd, "runs") : resolve(io.cwd, storeRoot);
  const coming = foldersToCome(folder);
  const made = await newRunFolder(folder, name, Date.now());
  // Where something was written it stays: the run can go on.
  invocation.onFailure(() => dropEmpty([made, ...coming]));
  return made;
}
