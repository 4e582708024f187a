/** `limbeck credit`: batch file in, advantages out, by any registered method. */
import { input } from "../../base/input.ts";
import { creditPart } from "../../run/methods.part.ts";
import { defineCommand } from "../command-of.ts";

export const credit = defineCommand({
  group: "learn",
  summary: "Turn rewards into per-token advantages by any credit method",
  usage: "--method NAME --in FILE [--set KEY=VALUE …]",
  description:
    "The file holds rows and outcomes as JSON; docs/credit-batch.schema.json, or --schema, says how. `-` reads standard input.\n" +
    "limbeck methods lists the methods; limbeck explain NAME shows one with its options and an example to start from.",
  input: {
    method: input.part(creditPart, "NAME", "The credit method"),
    in: input.path("FILE", "The batch"),
    set: input.texts("KEY=VALUE", "An option of the method"),
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
  run: async (given, frame) => await (await import("../methods/run-credit.ts")).runCredit(given, frame),
});
