/** Credit from the command line: read the batch, assign, print. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { EngineError } from "../../base/index.ts";
import { readSettings } from "../../base/operation.ts";
import { getCredit, type CreditBatch, type CreditResult } from "../../credit/index.ts";
import { batchFromText, batchSchema, resultToJson } from "../../credit/batch-json.ts";
import { credit } from "../../run/index.ts";
import type { Invocation } from "../command.ts";
import type { Frame } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";
import { printSchema } from "../look/print-schema.ts";
import { formatNumber, plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { creditLines } from "./credit-lines.ts";

interface Given {
  readonly method: string | undefined;
  readonly in: string | undefined;
  readonly set: readonly string[];
  readonly schema: boolean;
}

export async function runCredit({ schema, ...given }: Given, frame: Frame): Promise<number> {
  if (schema) return printSchema(frame, batchSchema());
  const name = required(given, "method");
  const method = getCredit(name);
  const options = readSettings(method.options, pairs(given.set), name);
  const batch = batchFromText(await readBatch(frame, required(given, "in")));
  const result = credit({ method, of: batch, options });
  if (frame.json) frame.printJson(resultToJson(name, batch, result));
  else printResult(frame, batch, result);
  return EXIT.done;
}

function required(given: Pick<Given, "method" | "in">, option: "method" | "in"): string {
  const text = given[option];
  if (text !== undefined && text !== "") return text;
  const hint = option === "method" ? "limbeck methods lists them" : "limbeck explain NAME --json has an example batch";
  throw usageError(`Which ${option === "method" ? "method" : "file"}? Give --${option}; ${hint}.`, { option });
}

function pairs(settings: readonly string[]): Record<string, string> {
  const read = settings.map((setting) => {
    const at = setting.indexOf("=");
    if (at < 1) throw usageError(`--set ${setting} has no value; write --set KEY=VALUE.`, { setting });
    return [setting.slice(0, at), setting.slice(at + 1)];
  });
  return Object.fromEntries(read) as Record<string, string>;
}

async function readBatch({ io, cwd }: Frame, file: string): Promise<string> {
  if (file === "-") return io.readInput();
  return readFile(resolve(cwd, file), "utf8").catch((cause: unknown) => {
    throw new EngineError("bad-input", `Cannot read "${file}".`, { details: { file }, cause });
  });
}

function printResult(invocation: Invocation, batch: CreditBatch, result: CreditResult): void {
  const { io, style } = invocation;
  const width = io.terminal.out ? { width: io.terminal.columns } : {};
  for (const line of creditLines(batch, result, { style, ...width })) invocation.print(line);
  invocation.print();
  const { rows = 0, trajectories = 0, tasks = 0, tokens = 0 } = result.metrics;
  invocation.print(
    `${plural(rows, "row")}, ${plural(trajectories, "trajectory", "trajectories")}, ${plural(tasks, "task")}, ${plural(tokens, "trained token")}`,
  );
  const shares = Object.keys(result.terms).map(
    (name) => `${name} ${formatNumber(100 * (result.metrics[`${name}.share`] ?? 0))} %`,
  );
  invocation.print(`share of each term: ${shares.join(", ")}`);
}
