/** How the program of an own agent is run and judged. */
import { input } from "limbeck-base/base/input";

/** `before` stands before what each means, for a command that has other things to do. */
export function programInputs(before = "") {
  return {
    folder: input.path("DIR", `${before}A folder that each run gets a copy of. Default: all work in the current one`),
    check: input.text(
      "COMMAND",
      `${before}A program that judges in the end, in the same folder: exit code 0 is success`,
    ),
    prepare: input.text("COMMAND", `${before}A program that makes each copy ready before the agent starts: "npm ci"`),
    timeout: input.time(`${before}Until its next question or its end: 90s, 15m. Default: 60s`),
  } as const;
}
