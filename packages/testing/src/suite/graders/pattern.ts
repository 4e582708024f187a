/** Patterns of files: they run on a matcher without backtracking, so that none can hold up a run. */
import { compileLinear } from "limbeck-recorder/linear-pattern";

const STEPS = 20_000_000;

/** Case does not count. Rejects with words where the text cannot be searched in bounded time. */
export function hasMatch(pattern: string, text: string): boolean {
  return compileLinear(pattern, "im").find(text, 0, { steps: STEPS }) !== undefined;
}

/** Why it is no pattern that can be used here; undefined where it is one. */
export function patternFault(pattern: string): string | undefined {
  try {
    compileLinear(pattern, "im");
    return undefined;
  } catch (error) {
    return `${JSON.stringify(pattern)} is no pattern: ${error instanceof Error ? error.message : String(error)}`;
  }
}
