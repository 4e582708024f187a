/**
 * Which workers fit which jobs. A queue is named after the protocol of its jobs and the line of releases that made them, so that a
 * worker of another one never takes a job that it would only fail.
 */
import { packageVersion } from "limbeck-base/base/package-info";

/** Of jobs and results. Raised whenever an older worker could misread one. */
export const PROTOCOL = 3;

export interface Line {
  readonly protocol: number;
  /** A version of the package: "0.1.0". */
  readonly engine: string;
}

export const OWN_LINE: Line = { protocol: PROTOCOL, engine: packageVersion() };

/** The part of a version within which numbers stay the same: "0.1" of 0.1.7, "2" of 2.3.4. */
export function releasesOf(engine: string): string {
  const [, major = "", minor = ""] = /^(\d+)\.(\d+)\./.exec(engine) ?? [];
  if (major === "") return "unknown";
  return major === "0" ? `0.${minor}` : major;
}

export function isSameLine(left: Line, right: Line): boolean {
  return left.protocol === right.protocol && releasesOf(left.engine) === releasesOf(right.engine);
}

export function sayLine({ protocol, engine }: Line): string {
  return `protocol ${protocol} of engine ${engine}`;
}
