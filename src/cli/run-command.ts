/** One invocation from words to an exit code. Never touches the process, so that tests can call it. */
import { resolvePlace } from "../base/object-address.ts";
import { isAbort, isReported } from "../base/errors.ts";
import type { CommandTable, Invocation, Io } from "./command.ts";
import { EXIT, exitCodeFor } from "./exit-code.ts";
import { withModules } from "./given-modules.ts";
import { namesParts, withLoadedParts } from "./given-parts.ts";
import { commandHelp, mainHelp } from "./help.ts";
import { cleanJson } from "./look/clean-text.ts";
import { barProgress, lineProgress, silentProgress } from "./look/progress.ts";
import { createStyle, wantsColour } from "./look/style.ts";
import { loadNatives, nativesOf } from "./natives.ts";
import { packageVersion } from "../base/package-info.ts";
import { asksForJson, checkWords, parseWords, type Parsed } from "./parse.ts";
import { errorJson, errorText } from "./report-error.ts";

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
      await loadNatives(nativesOf(command, invocation));
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
    const noColour = words.includes("--no-color");
    const style = createStyle(wantsColour({ env: io.env, terminal: io.terminal.err, noColour }));
    const debug = (io.env["LIMBECK_DEBUG"] ?? "") !== "";
    const columns = io.terminal.err ? io.terminal.columns : 120;
    io.err(`${asksForJson(words) ? errorJson(error) : errorText(error, { style, debug, columns })}\n`);
  };
}

/** The command that is to run, with words that were checked; an exit code where they are answered without one. */
async function prepare(words: readonly string[], io: Io, commands: CommandTable) {
  const given = parseWords(words, commands);
  const command = given.name === undefined ? undefined : commands[given.name];
  const answered = answer(given, io, commands);
  if (answered !== undefined || given.name === undefined || command === undefined) return answered ?? EXIT.usage;
  const typed = withModules(given, command);
  await checkWords(given.name, command, typed);
  return { command, typed };
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
  const style = createStyle(
    wantsColour({
      env: io.env,
      terminal: asked ? io.terminal.out : io.terminal.err,
      noColour: parsed.values.has("no-color"),
    }),
  );
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
  const style = createStyle(wantsColour({ env: io.env, terminal: io.terminal.out, noColour }));
  const errStyle = createStyle(wantsColour({ env: io.env, terminal: io.terminal.err, noColour }));
  return {
    io,
    positionals: parsed.positionals,
    text,
    texts: (name) => values.get(name) ?? [],
    flag,
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
    printJson: (value) => io.out(`${cleanJson(JSON.stringify(value, jsonValue))}\n`),
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

/** Whole numbers beyond 2^53 go out as text: a JSON reader would round them. Bytes go out as base64. */
function jsonValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
