/** `limbeck doctor`: what works on this machine, and what to do about the rest. */
import { errorCode, errorData, throwIfAborted } from "limbeck-base/base/errors";
import { packageVersion, startedInClone } from "limbeck-base/base/package-info";
import type { Invocation } from "../command.ts";
import { defineCommand } from "../command-of.ts";
import type { Check, Finding } from "../doctor/checks.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine, cleanLines } from "limbeck-base/base/clean-text";
import { padEnd, wrap } from "../look/text-width.ts";

const NEXT = {
  "limbeck import FILE": "bring in trajectories: ATIF, chat JSON lines, Parquet, OpenTelemetry",
  "limbeck runs": "see what is there",
  "limbeck show ID": "read one trajectory",
  'limbeck sql "select …"': "ask about all of them",
  "limbeck catalog": "published methods and their state here",
  "limbeck --help": "everything else",
};

export const doctor = defineCommand({
  group: "start",
  summary: "What works on this machine, and what to do about the rest",
  description:
    "Checks run one after another and really do what they check. The exit code is 1 when something that is needed is broken; of a native part that is missing it says what does not work without it and how to mend it.",
  input: {},
  examples: ["limbeck doctor", "limbeck doctor --json"],
  line: {
    check: "what was checked",
    state: "ok, warning, broken or note",
    required: "whether Limbeck cannot work without it",
    value: "what was found",
    hint: "what to do about it, or null",
    affects: "what does not work without it, or null",
    durationMs: "time the check took",
  },
  run: async (_, frame) => {
    const { checks } = await import("../doctor/checks.ts");
    return await diagnose(frame, checks, frame.emit);
  },
});

export async function diagnose(
  invocation: Invocation,
  checks: readonly Check[],
  emit: (line: object) => void,
): Promise<number> {
  const { io, style, print } = invocation;
  const nameWidth = Math.max(...checks.map((check) => check.name.length));
  const columns = io.terminal.out ? io.terminal.columns : 100;
  const margin = " ".repeat(nameWidth + 4);
  const marks = { ok: style.green("✓"), warning: style.yellow("!"), broken: style.red("✗"), note: style.dim("·") };
  print(`${style.bold("limbeck")} ${packageVersion()}`);
  print();
  let broken = 0;
  let warnings = 0;
  const given = new Set<string>();
  for (const { name: check, required, run } of checks) {
    throwIfAborted(io.signal);
    const started = io.now();
    const finding = await findingOf(() => run(invocation));
    const durationMs = Math.round(io.now() - started);
    const { state, value, hint = null, affects = null } = finding;
    if (state === "broken" && required) broken += 1;
    else if (state === "broken" || state === "warning") warnings += 1;
    emit({ check, state, required, value, hint, affects, durationMs });
    const [first = "", ...rest] = wrap(cleanLine(value), columns - nameWidth - 5);
    print(`${marks[state]} ${style.bold(padEnd(check, nameWidth))}  ${first}`);
    for (const line of rest) print(margin + line);
    for (const line of advice(finding, given).flatMap((one) => wrap(one, columns - nameWidth - 7)))
      print(`${margin}${style.cyan("→")} ${line}`);
  }
  print();
  const are = broken === 1 ? "One thing that Limbeck needs is" : `${broken} things that Limbeck needs are`;
  if (broken > 0) print(style.red(`${are} broken; the arrows say what to do.`));
  else if (warnings > 0) print(style.yellow("Limbeck works here; the arrows say what could be better."));
  else print(style.green("Everything that this release needs works."));
  if (broken === 0 && !invocation.quiet) printNext(invocation);
  return broken === 0 ? EXIT.done : EXIT.failed;
}

/** A check that throws has found something broken, or an engine that nobody has installed yet; the other checks still run. */
async function findingOf(run: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    const { message, details = {} } = errorData(error);
    if (errorCode(error) !== "native-part-missing") {
      return { state: "broken", value: message, hint: "Install again (npm ci); LIMBECK_DEBUG=1 shows more." };
    }
    const [value = "", ...mend] = message.split("\n");
    const state = details["isLeftOut"] === true ? "warning" : "broken";
    return { state, value, hint: mend.join("\n"), affects: String(details["affects"]) };
  }
}

/** What to do, in lines; several checks may need the same part. */
function advice({ hint, affects }: Finding, given: Set<string>): string[] {
  if (hint === undefined) return [];
  if (affects !== undefined && given.has(hint)) return ["As above."];
  given.add(hint);
  return [...(affects === undefined ? [] : [`Does not work: ${affects}.`]), ...cleanLines(hint)];
}

function printNext({ style, print }: Invocation): void {
  const width = Math.max(...Object.keys(NEXT).map((words) => words.length));
  print();
  // A clone has no command of that name on the path yet.
  if (startedInClone()) print(`In this source tree "limbeck" is ${style.cyan("npm run limbeck --")}`);
  for (const [words, what] of Object.entries(NEXT)) print(`  ${style.cyan(padEnd(words, width))}  ${style.dim(what)}`);
}
