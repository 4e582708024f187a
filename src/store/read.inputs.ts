/** Which runs commands read. */
import { input } from "../base/input.ts";
import type { Input } from "../base/operation.ts";

export const readInputs = {
  run: input.text("ID", "Only this run. Default: every run"),
  skipBroken: input.flag("Leave out runs that cannot be read; otherwise they are an error"),
} as const;

export type ReadInput = Input<typeof readInputs>;
