/** `limbeck credit`: batch file in, advantages out, by any registered method. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { EngineError } from "../../base/index.ts";
import {
  assignCredit,
  batchFromText,
  batchSchema,
  credits,
  getCredit,
  parseOption,
  resultToJson,
  type CreditBatch,
  type CreditResult,
  type OptionTable,
  type OptionValue,
} from "../../credit/index.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { creditLines } from "../methods/credit-lines.ts";
import { formatNumber, plural } from "../look/units.ts";
import { usageError } from "../parse.ts";

export const credit: Command = {
  group: "learn",
  summary: "Turn rewards into per-token advantages by any credit method",
  usage: "--method NAME --in FILE [--set KEY=VALUE …]",
  description:
    "The file holds rows and outcomes as JSON; docs/credit-batch.schema.json, or --schema, says how. `-` reads standard input.\n" +
    "limbeck methods lists the methods; limbeck explain NAME shows one with its options and an example to start from.",
  options: {
    method: { type: "string", value: "NAME", summary: "The credit method", choices: () => Object.keys(credits) },
    in: { type: "string", value: "FILE", summary: "The batch" },
    set: { type: "string", value: "KEY=VALUE", multiple: true, summary: "An option of the method" },
    schema: { type: "boolean", summary: "Print the JSON schema of the batch instead" },
  },
  examples: [
    "limbeck credit --method gigpo --in batch.json",
    "limbeck credit --method opid --in batch.json --set mode=mean_std_norm --set clip=0.5 --json",
    "limbeck credit --schema",
  ],
  jsonFields: {
    method: "the method",
    advantages: "one array for each row, as long as its mask; 0 where the mask is 0",
    terms: "by name: weight, and values like advantages; an advantage is the sum of weight times value",
    metrics: "numbers by name",
    dropped: "rows that a trainer leaves out, where the method drops any",
    returns: "targets of a value head, where the method makes any",
    "*": "with --schema: the JSON schema",
  },
  run: async (invocation) => {
    if (invocation.flag("schema")) {
      if (invocation.json) invocation.printJson(batchSchema());
      else for (const line of JSON.stringify(batchSchema(), null, 2).split("\n")) invocation.print(line);
      return EXIT.done;
    }
    const name = required(invocation, "method");
    const method = getCredit(name);
    const options = readOptions(method.options, invocation.texts("set"), name);
    const batch = batchFromText(await readBatch(invocation, required(invocation, "in")));
    const result = assignCredit(method, batch, options);
    if (invocation.json) invocation.printJson(resultToJson(name, batch, result));
    else printResult(invocation, batch, result);
    return EXIT.done;
  },
};

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
