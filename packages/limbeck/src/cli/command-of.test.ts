import fc from "fast-check";
import { expect, test } from "vitest";
import { input } from "limbeck-base/base/input";
import { defineOperation, type InputSpec, type InputTable } from "limbeck-base/base/operation";
import { listEnvs } from "limbeck-worlds/envs.operation";
import { evalOperation } from "../run/eval.operation.ts";
import { exportTrajectories } from "limbeck-store/record/export.operation";
import { giveFeedback } from "limbeck-store/record/feedback.operation";
import { importFiles } from "limbeck-store/record/import.operation";
import { listTraces } from "limbeck-store/record/traces.operation";
import { searchOperation } from "../run/search.operation.ts";
import { trainInputs } from "../run/train.inputs.ts";
import { agentInputs } from "./agent/agent.inputs.ts";
import { arenaInputs } from "./arena/arena.inputs.ts";
import { rolloutInputs } from "../run/rollout.inputs.ts";
import { tuneInputs } from "./tune/tune.inputs.ts";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { commandOf, commandGroup, defineCommand, readInput, wordsFor } from "./command-of.ts";
import type { Words } from "./command.ts";
import { parseWords } from "./parse.ts";

const operations = [
  listEnvs,
  evalOperation,
  searchOperation,
  exportTrajectories,
  giveFeedback,
  importFiles,
  listTraces,
  { name: "train", input: trainInputs },
  { name: "arena", input: arenaInputs },
  { name: "tune", input: tuneInputs },
  { name: "rollout", input: rolloutInputs },
  { name: "agent", input: agentInputs },
];

const word = fc.stringMatching(/^[\w./-]{1,8}$/);

const key = fc.stringMatching(/^[a-z]{1,5}$/);
const own: Readonly<Partial<Record<InputSpec["kind"], fc.Arbitrary<unknown>>>> = {
  flag: fc.constant(true),
  time: fc.nat(1e6),
  list: fc.array(word, { minLength: 1, maxLength: 3 }),
  values: fc.dictionary(key, fc.oneof(word, fc.nat(), fc.boolean()), { minKeys: 1 }),
  settings: fc.dictionary(key, word, { minKeys: 1 }),
};

function valueOf(spec: InputSpec): fc.Arbitrary<unknown> {
  const { kind, takes } = spec;
  if (kind === "amounts")
    return fc.constant(Object.fromEntries((spec.kinds ?? []).slice(0, 2).map((one, at) => [one, at])));
  if (kind === "number") {
    const { whole, least: min = 0, most: max = 1e6 } = spec;
    // There is no minus zero to be typed.
    return whole === true ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true }).map((number) => number + 0);
  }
  return own[kind] ?? (takes === undefined ? word : fc.constantFrom("chat", "policy", "local:models/writer"));
}

function parsed(name: string, table: InputTable, words: readonly string[]): object {
  const command = defineCommand({ group: "look", summary: "", examples: [], input: table, run: async () => undefined });
  const { positionals, values } = parseWords([name, ...words], { [name]: command });
  const texts = (option: string): readonly string[] => values.get(option) ?? [];
  const given: Words = {
    io: { cwd: "." } as Words["io"],
    positionals,
    texts,
    text: (option) => texts(option).at(-1),
  };
  return readInput(table, given);
}

test.each(operations.map((operation) => [operation.name, operation.input as InputTable] as const))(
  "%s: what stands for an input is read as the same input",
  (name, table) => {
    const requiredKeys = Object.keys(table).filter((key) => table[key]?.required === true);
    const given = fc.record(Object.fromEntries(Object.entries(table).map(([input, spec]) => [input, valueOf(spec)])), {
      requiredKeys,
    });
    const least = Object.fromEntries(requiredKeys.map((key) => [key, "x"]));
    const none = parsed(name, table, wordsFor(table, least));
    fc.assert(
      fc.property(given, (values) => {
        expect(parsed(name, table, wordsFor(table, values))).toEqual({ ...none, ...values });
      }),
    );
  },
);

const double = defineOperation({
  name: "double",
  group: "shell",
  summary: "Twice a number",
  examples: [],
  input: { of: input.count("N", "The number", { required: true }), twice: input.flag("Once more") },
  rules: [{ never: ["of", "twice"], say: "Either of them." }],
  events: { doubled: { to: "what it is now" } },
  run: async ({ of }, { emit }) => {
    emit({ event: "doubled", to: 2 * of });
    return 2 * of;
  },
});

test("an operation is a function: events, defaults, refusals", async () => {
  const running = double({ of: 2 });
  const events: unknown[] = [];
  for await (const event of running) events.push(event);
  expect([events, await running]).toEqual([[{ event: "doubled", to: 4 }], 4]);
  await expect(double({ of: 0 })).rejects.toThrow("Option of of double is 0; it takes a whole number at least 1");
  await expect(double({})).rejects.toThrow('"double" needs of: The number.');
  await expect(double({ of: 1, twice: true })).rejects.toThrow("Either of them.");
  await expect(double({ off: 1 } as never)).rejects.toThrow('Did you mean "of"?');
});

test("an operation is a command: usage, JSON lines, errors in the words of the command line", async () => {
  const commands = {
    double: commandOf(double),
    math: commandGroup("math", { double: commandOf(double), list: LIST }, HEAD),
  };
  const run = async (...words: string[]): Promise<[number, string]> => {
    const { code, out, err } = await limbeck(words, { commands });
    return [code, `${out}${err}`.trim()];
  };
  expect(commands.double.usage).toBe("--of N [options]");
  expect(await run("double", "--of", "3", "--json")).toEqual([0, '{"event":"doubled","to":6}']);
  expect((await run("double", "--of", "0"))[1]).toContain("--of must be a whole number of at least 1");
  expect((await run("double", "--of", "1", "--twice"))[1]).toContain("Either of them.");
  expect(await run("math", "double", "--of", "4", "--json")).toEqual([0, '{"event":"doubled","to":8}']);
  expect((await run("math", "list", "--of", "4"))[1]).toContain('No option "--of" of "limbeck math list"');
  expect((await run("math", "double"))[1]).toContain('"limbeck" needs of: The number.');
});

const HEAD = { group: "shell", summary: "", usage: "WHAT", examples: [], fields: {} } as const;
const LIST = defineCommand({ group: "shell", summary: "", examples: [], input: {}, run: async () => undefined });
