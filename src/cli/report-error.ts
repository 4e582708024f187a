/** An error, for a person or for a program; both on standard error, so that standard output holds results only. */
import { errorData, isAbort, type PlainError } from "../base/errors.ts";
import { cleanJson, cleanLine, cleanLines } from "./look/clean-text.ts";
import type { Style } from "./look/style.ts";
import { wrap } from "./look/text-width.ts";

/** What to try when the system refuses, by its own code. */
const SYSTEM_HINTS: Readonly<Record<string, string>> = {
  EACCES: "Check the permissions, or choose another folder with --store DIR.",
  EROFS: "The folder is read-only. Choose another with --store DIR.",
  ENOSPC: "The disk is full. Free some space, or choose another folder with --store DIR; what was committed is intact.",
  EDQUOT: "The disk quota is used up. Free some space, or choose another folder with --store DIR.",
  ENOENT: "Check the path.",
  EISDIR: "A file is needed here, not a folder.",
  ENOTDIR: "A part of this path is a file, not a folder.",
  EMFILE: "Too many files are open. Raise the limit (ulimit -n), or run limbeck compact.",
};

const MARGIN = 9;

export function errorJson(error: unknown): string {
  return cleanJson(
    JSON.stringify({ error: errorData(error) }, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    ),
  );
}

export function errorText(
  error: unknown,
  options: { readonly style: Style; readonly debug: boolean; readonly columns: number },
): string {
  const { style } = options;
  if (isAbort(error) && !options.debug)
    return `${style.yellow("stopped")}  As asked. What was committed before is kept.`;
  const data = errorData(error);
  const mark = style.red("error  ");
  const [first = "", ...rest] = cleanLines(data.message).flatMap((line) => wrap(line, options.columns - MARGIN));
  const lines = [`${mark}  ${first}`, ...rest.map((line) => `${" ".repeat(MARGIN)}${line}`)];
  const causes = causeMessages(data.cause, data.message);
  lines.push(...causes.map((cause) => style.dim(`${" ".repeat(MARGIN)}because: ${cause}`)));
  const hint = systemHint(data);
  if (hint !== undefined) lines.push(`${style.cyan("hint   ")}  ${hint}`);
  if (data.code === "internal" && !options.debug) {
    lines.push(
      `${style.cyan("hint   ")}  This looks like a fault of Limbeck itself. LIMBECK_DEBUG=1 shows where it came from.`,
    );
  }
  if (options.debug && error instanceof Error) {
    lines.push(...cleanLines(error.stack ?? "").map((line) => style.dim(line)));
  }
  return lines.join("\n");
}

/** Causes that say something the message does not. */
function causeMessages(cause: PlainError | undefined, said: string): string[] {
  if (cause === undefined) return [];
  const deeper = causeMessages(cause.cause, said + cause.message);
  return said.includes(cause.message) || cause.message === "" ? deeper : [cleanLine(cause.message), ...deeper];
}

function systemHint(data: PlainError): string | undefined {
  return SYSTEM_HINTS[data.code] ?? (data.cause === undefined ? undefined : systemHint(data.cause));
}
