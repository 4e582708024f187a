/** `limbeck credit`: batch file in, advantages out, by any registered method. */
import type { Command } from "../command.ts";
import { creditNames } from "../methods/method-names.ts";
import { flag, text, texts } from "../options.ts";

export const credit: Command = {
  group: "learn",
  summary: "Turn rewards into per-token advantages by any credit method",
  usage: "--method NAME --in FILE [--set KEY=VALUE …]",
  description:
    "The file holds rows and outcomes as JSON; docs/credit-batch.schema.json, or --schema, says how. `-` reads standard input.\n" +
    "limbeck methods lists the methods; limbeck explain NAME shows one with its options and an example to start from.",
  options: {
    method: text("NAME", "The credit method", creditNames),
    in: text("FILE", "The batch"),
    set: texts("KEY=VALUE", "An option of the method"),
    schema: flag("Print the JSON schema of the batch instead"),
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
  run: async (invocation) => (await import("../methods/run-credit.ts")).runCredit(invocation),
};
