/** A JSON schema: for a person over many lines, with --json on one. */
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";

export function printSchema(invocation: Invocation, schema: object): number {
  if (invocation.json) invocation.printJson(schema);
  else for (const line of JSON.stringify(schema, null, 2).split("\n")) invocation.print(line);
  return EXIT.done;
}
