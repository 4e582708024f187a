/** Which runs commands read. */
import { input } from "limbeck-base/base/input";
import type { Input } from "limbeck-base/base/operation";

export const readInputs = {
  run: input.text("ID", "Only this run. Default: every run"),
  strict: input.flag("A run that cannot be read is an error; otherwise it is left out, with a note"),
} as const;

export type ReadInput = Input<typeof readInputs>;
