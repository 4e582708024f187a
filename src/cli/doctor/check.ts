/** The contract of a check of this machine. */
import type { Invocation } from "../command.ts";

export interface Finding {
  /** "note" is information that is neither good nor bad. */
  readonly state: "ok" | "warning" | "broken" | "note";
  readonly value: string;
  /** What to do about it; given whenever something is wrong. */
  readonly hint?: string;
  /** What does not work without it. */
  readonly affects?: string;
}

export interface Check {
  readonly name: string;
  /** Whether this release cannot work without it. */
  readonly required: boolean;
  readonly run: (invocation: Pick<Invocation, "io" | "storeRoot" | "style">) => Finding | Promise<Finding>;
}
