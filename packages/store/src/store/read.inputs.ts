/** Which runs commands read. */
import { input } from "limbeck-base/base/input";
import type { Input } from "limbeck-base/base/operation";

export const readInputs = {
  run: input.text("ID", "Only this run. Default: every run"),
  skipBroken: input.flag("Leave out runs that cannot be read; otherwise they are an error"),
} as const;

export type ReadInput = Input<typeof readInputs>;
