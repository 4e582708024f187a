/** One invocation from words to an exit code. Never touches the process, so that tests can call it. */
import { resolvePlace } from "limbeck-base/base/object-address";
import { errorData, isAbort, isReported, type PlainError } from "limbeck-base/base/errors";
import type { CommandTable, Invocation, Io } from "./command.ts";
import { EXIT, exitCodeFor } from "./exit-code.ts";
import { namesParts, withLoadedParts, withModules } from "./given-parts.ts";
import { commandHelp, mainHelp } from "./help.ts";
import { cleanJson, cleanLine, cleanLines } from "limbeck-base/base/clean-text";
import { barProgress, lineProgress, silentProgress } from "./look/progress.ts";
import { createStyle, wantsColour, type Style } from "./look/style.ts";
import { wrap } from "./look/text-width.ts";
import { nativesOf, needNatives } from "./natives.ts";
import { packageVersion } from "limbeck-base/base/package-info";
import { asksForJson, checkWords, parseWords, type Parsed } from "./parse.ts";

const HELP_COLUMNS = 100;

export async function runCommand(words: readonly string[], io: Io, commands: CommandTable): Promise<number> {
  const report = reporter(words, io);
  const takeBacks: (() => Promise<void>)[] = [];
  try {
    const ready = await prepare(words, io, commands);
    if (typeof ready === "number") return ready;
    const { command, typed } = ready;
    const work = async (): Promise<number> => {
      const parsed = await withLoadedParts(typed, io.cwd);
      const onFailure = (takeBack: () => Promise<void>): void => void takeBacks.push(takeBack);
      const invocation = { ...createInvocation(parsed, io, commands, report), onFailure };
      await needNatives(nativesOf(command, invocation), invocation);
      return await command.run(invocation);
    };
    const code = await (namesParts(typed) && io.hold !== undefined ? io.hold(work) : work());
    return io.signal.aborted ? EXIT.interrupted : code;
  } catch (error) {
    if (isReported(error)) report(error);
    for (const takeBack of takeBacks) await takeBack();
    // A failure while stopping is still a stop: the caller asked for it.
    return io.signal.aborted || isAbort(error) ? EXIT.interrupted : exitCodeFor(error);
  }
}

/** The exit code of words that are answered without running a command: help, versions and refusals. Undefined for all others. */
export async function answerEarly(
  words: readonly string[],
  io: Io,
  commands: CommandTable,
): Promise<number | undefined> {
  try {
    const ready = await prepare(words, io, commands);
    return typeof ready === "number" ? ready : undefined;
  } catch (error) {
    reporter(words, io)(error);
    return exitCodeFor(error);
  }
}

function reporter(words: readonly string[], io: Io): (error: unknown) => void {
  return (error) => {
    const style = styleFor(io, "err", words.includes("--no-color"));
    const debug = (io.env["LIMBECK_DEBUG"] ?? "") !== "";
    const columns = io.terminal.err ? io.terminal.columns : 120;
    io.err(
      `${asksForJson(words) ? jsonText({ error: errorData(error) }) : errorText(error, { style, debug, columns })}\n`,
    );
  };
}

/** The command that is to run, with words that were checked; an exit code where they are answered without one. */
async function prepare(words: readonly string[], io: Io, commands: CommandTable) {
  const typed = parseWords(words, commands);
  const isAsked = typed.name !== undefined || typed.values.has("help") || typed.values.has("version");
  // Without a command the one that shows what there is.
  const given = isAsked || !Object.hasOwn(commands, "start") ? typed : parseWords(["start", ...words], commands);
  const command = given.name === undefined ? undefined : commands[given.name];
  const answered = answer(given, io, commands);
  if (answered !== undefined || given.name === undefined || command === undefined) return answered ?? EXIT.usage;
  const ready = withModules(given, command);
  await checkWords(given.name, command, ready);
  return { command, typed: ready };
}

/** Version and help, which need no command to run. Without a command, help is what is wanted, but it is no success. */
function answer(parsed: Parsed, io: Io, commands: CommandTable): number | undefined {
  const command = parsed.name === undefined ? undefined : commands[parsed.name];
  const json = parsed.values.has("json");
  if (parsed.values.has("version")) {
    const version = packageVersion();
    io.out(json ? `${JSON.stringify({ name: "limbeck", version })}\n` : `${version}\n`);
    return EXIT.done;
  }
  const asked = parsed.values.has("help");
  if (!asked && command !== undefined) return undefined;
  const style = styleFor(io, asked ? "out" : "err", parsed.values.has("no-color"));
  const help = { style, columns: io.terminal.out ? io.terminal.columns : HELP_COLUMNS };
  const text =
    parsed.name === undefined || command === undefined
      ? mainHelp(commands, packageVersion(), help)
      : commandHelp(parsed.name, command, help);
  (asked ? io.out : io.err)(`${text}\n`);
  return asked ? EXIT.done : EXIT.usage;
}

function createInvocation(
  parsed: Parsed,
  io: Io,
  commands: CommandTable,
  report: (error: unknown) => void,
): Omit<Invocation, "onFailure"> {
  const { values } = parsed;
  const flag = (name: string): boolean => values.has(name);
  const text = (name: string): string | undefined => values.get(name)?.at(-1);
  const json = flag("json");
  const quiet = flag("quiet");
  const noColour = flag("no-color");
  const style = styleFor(io, "out", noColour);
  const errStyle = styleFor(io, "err", noColour);
  return {
    io,
    positionals: parsed.positionals,
    text,
    texts: (name) => values.get(name) ?? [],
    json,
    quiet,
    storeRoot: resolvePlace(io.cwd, text("store") ?? (io.env["LIMBECK_STORE"] || "runs")),
    style,
    commands,
    print: (line = "") => {
      if (!json) io.out(`${line}\n`);
    },
    note: (line) => {
      if (!quiet && !json) io.err(`${line}\n`);
    },
    printJson: (value) => io.out(`${jsonText(value)}\n`),
    report,
    progress: (options) => {
      const canvas = { write: io.err, now: io.now, style: errStyle, columns: io.terminal.columns };
      if (quiet) return silentProgress();
      if (io.terminal.err) return barProgress(options, canvas);
      // A program that reads JSON has no use for lines about progress.
      return json ? silentProgress() : lineProgress(options, canvas);
    },
  };
}

function styleFor({ env, terminal }: Io, stream: "out" | "err", noColour: boolean): Style {
  return createStyle(wantsColour({ env, terminal: terminal[stream], noColour }));
}

/** Whole numbers beyond 2^53 go out as text: a JSON reader would round them. Bytes go out as base64. */
function jsonText(given: object): string {
  const text = JSON.stringify(given, (_key, value: unknown) => {
    if (typeof value === "bigint") return String(value);
    return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
  });
  return cleanJson(text);
}

// An error, for a person or for a program; on standard error, so that standard output holds results only.

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

const OWN_FAULT = "This looks like a fault of Limbeck itself. LIMBECK_DEBUG=1 shows where it came from.";
const MARGIN = " ".repeat(9);

function errorText(
  error: unknown,
  { style, debug, columns }: { readonly style: Style; readonly debug: boolean; readonly columns: number },
): string {
  if (isAbort(error) && !debug) return `${style.yellow("stopped")}  As asked. What was committed before is kept.`;
  const data = errorData(error);
  const message = cleanLines(data.message).flatMap((line) => wrap(line, columns - MARGIN.length));
  const hints = [systemHint(data), data.code === "internal" && !debug ? OWN_FAULT : undefined];
  const stack = debug && error instanceof Error ? cleanLines(error.stack ?? "") : [];
  return [
    `${style.red("error  ")}  ${message[0] ?? ""}`,
    ...message.slice(1).map((line) => MARGIN + line),
    ...causeMessages(data.cause, data.message).map((cause) => style.dim(`${MARGIN}because: ${cause}`)),
    ...hints.flatMap((hint) => (hint === undefined ? [] : [`${style.cyan("hint   ")}  ${hint}`])),
    ...stack.map((line) => style.dim(line)),
  ].join("\n");
}

/** Causes that say something the message does not. */
function causeMessages(cause: PlainError | undefined, message: string): string[] {
  if (cause === undefined) return [];
  const deeper = causeMessages(cause.cause, message + cause.message);
  return message.includes(cause.message) || cause.message === "" ? deeper : [cleanLine(cause.message), ...deeper];
}

function systemHint(data: PlainError): string | undefined {
  return SYSTEM_HINTS[data.code] ?? (data.cause === undefined ? undefined : systemHint(data.cause));
}
