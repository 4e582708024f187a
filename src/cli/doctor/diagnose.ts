/** Runs the checks of this machine one after another and says what to do about what they find. */
import { errorCode, errorData, throwIfAborted } from "../../base/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine, cleanLines } from "../look/clean-text.ts";
import type { Style } from "../look/style.ts";
import { padEnd, wrap } from "../look/text-width.ts";
import { packageVersion, startedInClone } from "../../base/package-info.ts";
import type { Check, Finding } from "./check.ts";
import { duckdb } from "./duckdb.ts";
import { machine, node, terminal, tools } from "./machine.ts";
import { onnxRuntime } from "./onnx-runtime.ts";
import { optionalParts } from "./optional-parts.ts";
import { roundTrip } from "./round-trip.ts";
import { storeFolder } from "./store-folder.ts";

const CHECKS: readonly Check[] = [
  node,
  machine,
  duckdb,
  onnxRuntime,
  roundTrip,
  storeFolder,
  terminal,
  optionalParts,
  tools,
];

const NEXT: readonly (readonly [string, string])[] = [
  ["limbeck import FILE", "bring in trajectories: ATIF, chat JSON lines, Parquet, OpenTelemetry"],
  ["limbeck runs", "see what is there"],
  ["limbeck show ID", "read one trajectory"],
  ['limbeck sql "select …"', "ask about all of them"],
  ["limbeck catalog", "published methods and their state here"],
  ["limbeck --help", "everything else"],
];

export async function diagnose(invocation: Invocation, checks = CHECKS): Promise<number> {
  const { io, style } = invocation;
  const nameWidth = Math.max(...checks.map((check) => check.name.length));
  const columns = io.terminal.out ? io.terminal.columns : 100;
  invocation.print(`${style.bold("limbeck")} ${packageVersion()}`);
  invocation.print();
  let broken = 0;
  let warnings = 0;
  const told = new Set<string>();
  for (const check of checks) {
    throwIfAborted(io.signal);
    const started = io.now();
    const finding = await runCheck(check, invocation);
    const durationMs = Math.round(io.now() - started);
    if (finding.state === "broken" && check.required) broken += 1;
    else if (finding.state === "broken" || finding.state === "warning") warnings += 1;
    if (invocation.json) {
      const { state, value, hint, affects } = finding;
      invocation.printJson({
        check: check.name,
        state,
        required: check.required,
        value,
        hint: hint ?? null,
        affects: affects ?? null,
        durationMs,
      });
    }
    const [first = "", ...rest] = wrap(cleanLine(finding.value), columns - nameWidth - 5);
    const margin = " ".repeat(nameWidth + 4);
    invocation.print(`${mark(finding, style)} ${style.bold(padEnd(check.name, nameWidth))}  ${first}`);
    for (const line of rest) invocation.print(margin + line);
    for (const line of advice(finding, told).flatMap((one) => wrap(one, columns - nameWidth - 7)))
      invocation.print(`${margin}${style.cyan("→")} ${line}`);
  }
  invocation.print();
  invocation.print(verdict(broken, warnings, style));
  if (broken === 0) sayNext(invocation);
  return broken === 0 ? EXIT.done : EXIT.failed;
}

/** A check that throws has found something broken; the other checks still run. */
async function runCheck(check: Check, invocation: Invocation): Promise<Finding> {
  try {
    return await check.run(invocation);
  } catch (error) {
    const { message, details = {} } = errorData(error);
    if (errorCode(error) !== "native-part-missing") {
      return { state: "broken", value: message, hint: "Install again (npm ci); LIMBECK_DEBUG=1 shows more." };
    }
    const [value = "", ...mend] = message.split("\n");
    return { state: "broken", value, hint: mend.join("\n"), affects: String(details["affects"]) };
  }
}

/** What to do, in lines; several checks may need the same part. */
function advice({ hint, affects }: Finding, told: Set<string>): string[] {
  if (hint === undefined) return [];
  if (affects !== undefined && told.has(hint)) return ["As above."];
  told.add(hint);
  return [...(affects === undefined ? [] : [`Does not work: ${affects}.`]), ...cleanLines(hint)];
}

function mark(finding: Finding, style: Style): string {
  const marks = { ok: style.green("✓"), warning: style.yellow("!"), broken: style.red("✗"), note: style.dim("·") };
  return marks[finding.state];
}

function verdict(broken: number, warnings: number, style: Style): string {
  if (broken > 0)
    return style.red(
      `${broken === 1 ? "One thing" : `${broken} things`} that Limbeck needs ${broken === 1 ? "is" : "are"} broken; the arrows say what to do.`,
    );
  if (warnings > 0) return style.yellow("Limbeck works here; the arrows say what could be better.");
  return style.green("Everything that this release needs works.");
}

function sayNext(invocation: Invocation): void {
  const { style } = invocation;
  if (invocation.quiet) return;
  const width = Math.max(...NEXT.map(([words]) => words.length));
  invocation.print();
  // A clone has no command of that name on the path yet.
  if (startedInClone()) invocation.print(`In this source tree "limbeck" is ${style.cyan("npm run limbeck --")}`);
  for (const [words, what] of NEXT) invocation.print(`  ${style.cyan(padEnd(words, width))}  ${style.dim(what)}`);
}
