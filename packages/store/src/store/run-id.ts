/** Run ids are folder names; what is not safe as one never gets near a path. */
import { randomBytes } from "node:crypto";
import { EngineError } from "limbeck-base/base/errors";

const PATTERN = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const MAX_LENGTH = 100;

export function isRunId(id: string): boolean {
  return id.length <= MAX_LENGTH && PATTERN.test(id);
}

/** The id itself, or an error that says what an id may look like. */
export function checkRunId(id: string): string {
  if (isRunId(id)) return id;
  throw new EngineError(
    "bad-run-id",
    `${JSON.stringify(id.slice(0, 200))} is not a run id: use 1 to ${MAX_LENGTH} letters, digits, ".", "_" and "-", not starting with a dot.`,
    { details: { run: id } },
  );
}

/** Sorts by time; the random part keeps two runs of one second apart. */
export function newRunId(now: Date): string {
  const stamp = now
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z$/g, "")
    .replace("T", "-");
  return `${stamp}-${randomBytes(3).toString("hex")}`;
}
