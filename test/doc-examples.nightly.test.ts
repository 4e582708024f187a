/** The examples of doc comments and pages that train, tune or compare run; `doc-examples.system.test.ts` compiles them and runs the others. */
import { test } from "vitest";
import { expectPrinted, trains, writtenExamples } from "./support/run-examples.ts";

const folder = writtenExamples();

test("they run, and print what they say", { timeout: 300_000 }, async () => {
  await expectPrinted(folder(), trains);
});
