/** The error of a training that stops, with the finished updates that its checkpoint lacks. */
import { EngineError, errorData, isAbort } from "../base/index.ts";

export interface Unsaved {
  /** The last update that is finished. */
  readonly finished: number;
  /** The one that the checkpoint holds. */
  readonly saved: number;
  /** Why saving failed; undefined: the weights were no longer those of a finished update. */
  readonly cause: unknown;
}

/** Code, details and cause stay those of the error: what went wrong first is what is to be mended. */
export function withUnsaved(error: unknown, { finished, saved, cause }: Unsaved): unknown {
  if (saved === finished) return error;
  const lost = finished === saved + 1 ? `Update ${finished} is` : `Updates ${saved + 1} to ${finished} are`;
  const reason = cause === undefined ? "the next one had changed the weights already" : errorData(cause).message;
  const why = cause === error ? "" : ` (${reason.replace(/\.$/, "")})`;
  const { code, message, details = {} } = errorData(error);
  const told = `${message} ${lost} not saved${why}: the checkpoint holds update ${saved}. With --resume it goes on from there.`;
  return EngineError.from({ code: isAbort(error) ? "cancelled" : code, message: told, details }, error);
}
