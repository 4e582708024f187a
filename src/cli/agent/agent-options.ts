/** An agent's own program as a world, from the options that say how it is run. */
import { resolve } from "node:path";
import { withoutUndefined } from "../../base/fields.ts";
import type { JsonObject } from "../../trajectory/index.ts";
import type { Invocation, Option } from "../command.ts";
import { maybeCount } from "../model/open-given.ts";
import { text } from "../options.ts";
import { parseDuration } from "../parse.ts";
import { commandWords } from "./command-words.ts";

/** `before` stands before what each means, for a command that has other things to do. */
export function programOptions(before = ""): Readonly<Record<"folder" | "check" | "prepare" | "timeout", Option>> {
  return {
    folder: text("DIR", `${before}A folder that each run gets a copy of. Default: all work in the current one`),
    check: text("COMMAND", `${before}A program that judges in the end, in the same folder: exit code 0 is success`),
    prepare: text("COMMAND", `${before}A program that makes each copy ready before the agent starts: "npm ci"`),
    timeout: text("TIME", `${before}Until its next question or its end: 90s, 15m. Default: 60s`),
  };
}

// A type and no interface, so that it is JSON too.
// oxlint-disable-next-line typescript/consistent-type-definitions
export type ProgramGiven = {
  command: string;
  args: string[];
  folder?: string;
  cwd?: string;
  check?: string[];
  prepare?: string[];
  timeoutMs?: number;
  maxSteps?: number;
};

/** Options of the world `agent`. Nothing is copied where no folder is named: that is what a person expects who types a command. */
export function agentWorldOptions(invocation: Invocation, command: string, args: readonly string[]): ProgramGiven {
  const whole = (path: string): string => resolve(invocation.io.cwd, path);
  const [folder, check, timeout] = [invocation.text("folder"), invocation.text("check"), invocation.text("timeout")];
  const prepare = invocation.text("prepare");
  return {
    command,
    args: [...args],
    ...(folder === undefined ? { cwd: invocation.io.cwd } : { folder: whole(folder) }),
    ...(check === undefined ? {} : { check: commandWords(check, "check") }),
    ...(prepare === undefined ? {} : { prepare: commandWords(prepare, "prepare") }),
    ...withoutUndefined({ maxSteps: maybeCount(invocation, "max-steps") }),
    ...(timeout === undefined ? {} : { timeoutMs: parseDuration(timeout, "timeout") }),
  };
}

/** The same as somebody types them. */
export function worldWords(options: JsonObject): string[] {
  return Object.entries(options).flatMap(([name, value]) => [
    "--env-set",
    `${name}=${typeof value === "string" && name !== "goal" ? value : JSON.stringify(value)}`,
  ]);
}
