/** Python programs in a child process: limits, early ends, and what is not there. */
import { expect, test } from "vitest";
import { openPython } from "./run-python.ts";

test("tests that pass, tests that fail, and programs that only look as if they passed", async () => {
  const run = await openPython();
  expect(await run("def f(x):\n  return x + 1\nassert f(1) == 2")).toMatchObject({ ok: true });
  expect(await run("assert False, 'wrong'")).toMatchObject({ ok: false, output: expect.stringContaining("wrong") });
  expect(await run("def f(:")).toMatchObject({ ok: false, output: expect.stringContaining("SyntaxError") });
  expect(await run("import sys; sys.exit(0)")).toMatchObject({ ok: false });
  expect(await run("import os; os._exit(0)")).toMatchObject({ ok: false });
  expect(await run("print('x' * 1_000_000)")).toMatchObject({ ok: true });
}, 60_000);

test("time, memory and files have limits, and the environment stays here", async () => {
  const run = await openPython({ seconds: 2, megabytes: 300 });
  expect(await run("while True: pass")).toMatchObject({ ok: false, output: expect.stringContaining("stopped") });
  expect(await run("x = bytearray(2 ** 30)")).toMatchObject({ ok: false });
  process.env["LIMBECK_SECRET_OF_TEST"] = "1";
  expect(await run("import os\nassert 'LIMBECK_SECRET_OF_TEST' not in os.environ")).toMatchObject({ ok: true });
}, 60_000);

test("without Python there is a sentence", async () => {
  await expect(openPython({ python: "/nowhere/python3" })).rejects.toThrow(/There is no \/nowhere\/python3 here/);
});
