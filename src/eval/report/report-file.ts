/** Files of a report, which a browser may have open. */
import { EngineError, replaceFile } from "../../base/index.ts";

/** Whole or not at all. */
export async function writeReportFile(file: string, content: string | Uint8Array): Promise<void> {
  await replaceFile(file, content).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError("file-error", `The report cannot be written to "${file}": ${why}. Give another file.`, {
      cause,
    });
  });
}
