/** Every parser that reads files or bytes that others made, by name. */
import type { TargetKind } from "../target.ts";
import { fileTargets } from "./files.ts";
import { hostileTargets } from "./hostile.ts";
import { recordingTargets } from "./recordings.ts";
import { serverTargets } from "./servers.ts";
import { textTargets } from "./texts.ts";

export const targets: Readonly<Record<string, TargetKind>> = {
  ...recordingTargets,
  ...fileTargets,
  ...textTargets,
  ...serverTargets,
  ...hostileTargets,
};
