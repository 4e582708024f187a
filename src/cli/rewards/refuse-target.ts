/** Nothing that is there is written over. */
import { stat } from "node:fs/promises";
import { EngineError, errorCode } from "../../base/index.ts";

/** Refuses a folder that is there already, in the words it was given in. */
export async function refuseTarget(path: string, named: string): Promise<void> {
  try {
    await stat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  throw new EngineError("target-exists", `"${named}" is there already. Give another --out.`);
}
