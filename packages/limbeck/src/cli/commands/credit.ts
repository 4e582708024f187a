/** `limbeck credit`: batch file in, advantages out, by any registered method. */
import { resolve } from "node:path";
import { cleanLine } from "limbeck-base/base/clean-text";
import { EngineError } from "limbeck-base/base/errors";
import { givenText } from "limbeck-base/base/given-file";
import { input } from "limbeck-base/base/input";
import { readSettings } from "limbeck-base/base/operation";
import type { CreditBatch } from "limbeck-core/credit/credit";
import { creditPart } from "limbeck-core/recipe/methods.part";
import { defineCommand, type Frame } from "../command-of.ts";
import { printSchema } from "../look/print-schema.ts";
import { formatNumber, plural } from "limbeck-base/base/units";
import { creditLines } from "../methods/credit-lines.ts";
import { usageError } from "../parse.ts";

export const credit = defineCommand({
  group: "learn",
  summary: "Turn rewards into per-token advantages by any credit method",
  usage: "--method NAME --in FILE [options]",
  description:
    "The file holds rows and outcomes as JSON; docs/lookup/generated/credit-batch.schema.json, or --schema, says how. `-` reads standard input.\n" +
    "Trajectories of others are taken too, in every format that limbeck import knows: ATIF, rollout dumps of verl, results of verifiers. Attempts at the same goal are a group. Where a file has no tokens, a step counts as one, and its advantage is that of all its words.\n" +
    "limbeck methods lists the methods; limbeck explain NAME shows one with its options and an example to start from.",
  input: {
    method: input.part(creditPart, "NAME", "The credit method"),
    in: input.path("FILE", "The batch"),
    options: input.settings("An option of the method", { flag: "set" }),
    schema: input.flag("Print the JSON schema of the batch instead"),
  },
  examples: [
    "limbeck credit --method gigpo --in batch.json",
    "limbeck credit --method opid --in batch.json --set mode=mean_std_norm --set clip=0.5 --json",
    "limbeck credit --schema",
  ],
  line: {
    method: "the method",
    advantages: "one array for each row, as long as its mask; 0 where the mask is 0",
    terms: "by name: weight, and values like advantages; an advantage is the sum of weight times value",
    metrics: "numbers by name",
    dropped: "rows that a trainer leaves out, where the method drops any",
    returns: "targets of a value head, where the method makes any",
    "*": "with --schema: the JSON schema",
  },
  run: async (given, frame) => {
    const { batchFromText, batchSchema, resultToJson } = await import("limbeck-core/credit/batch-json");
    const { getCredit } = await import("limbeck-core/credit/registry");
    const { credit: assign } = await import("../../run/credit.ts");
    const { io, style, print } = frame;
    if (given.schema) return printSchema(frame, batchSchema());
    const name = needed("method", given.method, "limbeck methods lists them");
    const method = getCredit(name);
    const options = readSettings(method.options, given.options, name);
    const file = needed("file", given.in, "limbeck explain NAME --json has an example batch", "in");
    const text = await batchText(frame, file);
    const batch = text === undefined ? await batchOfLogs(frame, file) : batchFromText(text);
    const result = assign({ method, of: batch, options });
    if (frame.json) frame.printJson(resultToJson(name, batch, result));
    const width = io.terminal.out ? { width: io.terminal.columns } : {};
    for (const line of creditLines(batch, result, { style, ...width })) print(line);
    const { rows = 0, trajectories = 0, tasks = 0, tokens = 0 } = result.metrics;
    const counts = [plural(rows, "row"), plural(trajectories, "trajectory", "trajectories"), plural(tasks, "task")];
    const shares = Object.keys(result.terms).map(
      (term) => `${term} ${formatNumber(100 * (result.metrics[`${term}.share`] ?? 0))} %`,
    );
    print();
    print([...counts, plural(tokens, "trained token")].join(", "));
    print(`share of each term: ${shares.join(", ")}`);
    return undefined;
  },
});

function needed(what: string, given: string | undefined, hint: string, option = what): string {
  if (given !== undefined && given !== "") return given;
  throw usageError(`Which ${what}? Give --${option}; ${hint}.`, { option });
}

/** Undefined where the file holds trajectories of another program. */
async function batchText({ readInput, cwd }: Frame, file: string): Promise<string | undefined> {
  if (file === "-") return await readInput();
  const { beginningOf } = await import("limbeck-store/store/formats/detect");
  const isBatch =
    !file.endsWith(".jsonl") && /"rows"\s*:|^\s*(?:\{\s*\}|\[|[^{[\s])/.test(await beginningOf(resolve(cwd, file)));
  return isBatch ? await givenText({ cwd }, file, "the batch") : undefined;
}

async function batchOfLogs({ cwd, note, signal }: Frame, file: string): Promise<CreditBatch> {
  const { readLogs } = await import("limbeck-store/record/read-logs");
  const { batchFromTrajectories } = await import("limbeck-core/credit/from-trajectories");
  const { trajectories, skips } = await readLogs([file], { cwd, signal });
  const { rows, leftOut, ...batch } = batchFromTrajectories(trajectories);
  const left = [...leftOut.map(({ why }) => why), ...skips.map(({ message }) => message)];
  if (left.length > 0)
    note(
      `Left out: ${plural(left.length, "trajectory", "trajectories")}; the first because ${cleanLine(left[0] ?? "")}`,
    );
  if (rows.length === 0)
    throw new EngineError(
      "bad-input",
      `${JSON.stringify(file)} holds no trajectory with a reward, so there is nothing to give credit for.`,
    );
  return { ...batch, rows: rows.map((row) => (row.mask.length > 0 ? row : { ...row, mask: Uint8Array.of(1) })) };
}
