/** What the writers of a run keep for the next time: one file that the newest commit with a state names. */
import { EngineError, errorCode } from "../base/errors.ts";
import type { JsonObject } from "../trajectory/index.ts";
import { segmentPath } from "./commit-format.ts";
import { snapshotOf, type Reading } from "./reading.ts";

export async function readState(reading: Reading, run: string): Promise<JsonObject | undefined> {
  for (let missing: string | undefined; ;) {
    const { state } = (await snapshotOf(reading, run)).fold;
    if (state === undefined) return undefined;
    const path = segmentPath(run, state);
    const location = reading.files.address(path);
    const wrong = (code: "segment-missing" | "segment-damaged", what: string, cause: unknown): EngineError =>
      new EngineError(code, `${location} ${what} Restore the file, or begin a new run.`, {
        details: { run, path: location },
        cause,
      });
    let text: string;
    try {
      text = await reading.files.read(path);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      // A newer commit may have replaced it meanwhile; the same name twice is a fault.
      if (missing === state) throw wrong("segment-missing", "does not exist, though a commit names it.", error);
      missing = state;
      continue;
    }
    try {
      return JSON.parse(text) as JsonObject;
    } catch (error) {
      throw wrong("segment-damaged", "is not JSON.", error);
    }
  }
}
