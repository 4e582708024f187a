/** Every example of a doc comment and every program on a page compiles against the public doors, and runs where it can. */
import { expect, test } from "vitest";
import { compileExamples, expectPrinted, trains, writtenExamples } from "./support/run-examples.ts";

const folder = writtenExamples();

test("they compile", { timeout: 120_000 }, async () => expect(await compileExamples(folder())).toBe(""));

test("they run, and print what they say", { timeout: 300_000 }, async () => {
  await expectPrinted(folder(), (example) => !trains(example));
});
