/** Credit from the command line: read the batch, assign, print. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { EngineError, type OptionTable, type OptionValue } from "../../base/index.ts";
import { parseOption } from "../../base/options.ts";
import { getCredit, type CreditBatch, type CreditResult } from "../../credit/index.ts";
import { batchFromText, batchSchema, resultToJson } from "../../credit/batch-json.ts";
import { credit } from "../../run/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { printSchema } from "../look/print-schema.ts";
import { formatNumber, plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { creditLines } from "./credit-lines.ts";

export async function runCredit(invocation: Invocation): Promise<number> {
  if (invocation.flag("schema")) return printSchema(invocation, batchSchema());
  const name = required(invocation, "method");
  const method = getCredit(name);
  const options = readOptions(method.options, invocation.texts("set"), name);
  const batch = batchFromText(await readBatch(invocation, required(invocation, "in")));
  const result = credit({ method, of: batch, options });
  if (invocation.json) invocation.printJson(resultToJson(name, batch, result));
  else printResult(invocation, batch, result);
  return EXIT.done;
}

function required(invocation: Invocation, option: "method" | "in"): string {
  const text = invocation.text(option);
  if (text !== undefined && text !== "") return text;
  const hint = option === "method" ? "limbeck methods lists them" : "limbeck explain NAME --json has an example batch";
  throw usageError(`Which ${option === "method" ? "method" : "file"}? Give --${option}; ${hint}.`, { option });
}

function readOptions(table: OptionTable, settings: readonly string[], method: string): Record<string, OptionValue> {
  const options: Record<string, OptionValue> = {};
  for (const setting of settings) {
    const at = setting.indexOf("=");
    if (at < 1) throw usageError(`--set ${setting} has no value; write --set KEY=VALUE.`, { setting });
    const key = setting.slice(0, at);
    options[key] = parseOption(table, key, setting.slice(at + 1), method);
  }
  return options;
}

async function readBatch({ io }: Invocation, file: string): Promise<string> {
  if (file === "-") return io.readInput();
  return readFile(resolve(io.cwd, file), "utf8").catch((cause: unknown) => {
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
