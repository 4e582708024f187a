/** What operations that fill a run take and say. */
import { input } from "limbeck-base/base/input";

export const newRunInput = input.text("ID", "Id of the new run. Default: made from the time");

/** "evaluations": of what the seed is one. */
export function seedInput(what: string) {
  return input.count("N", `Which of the possible ${what}`, { least: 0, default: 0 });
}

export const endFacts = {
  complete: "false when an error or Ctrl-C ended it early",
  durationMs: "time taken",
} as const;
