/** The laws of every registry: one option language, in which each entry says what it takes, by default and at most. */
import { describe, expect, test } from "vitest";
import { optionsSchema, resolveOptions, type DeepTable, type EntryInfo } from "../src/base/index.ts";
import { defaultText, parseOption } from "../src/base/options.ts";
import { registries } from "../src/cli/methods/all-methods.ts";
import { creditNames, recipeNames, rewardNames, searchNames, strategyNames } from "../src/cli/methods/method-names.ts";
import { sharedSettings } from "../src/update/index.ts";

type Case = readonly [name: string, info: EntryInfo, options: DeepTable];

const cases: Case[] = (await registries()).flatMap(({ room, entries }) =>
  Object.entries(entries).map(([id, { info, options }]): Case => [`${room}/${id}`, info, options]),
);
const shared: Case = ["settings", { title: "Shared settings", meaning: "Of every recipe." }, sharedSettings];

test("every registry is here", async () => {
  const rooms = (await registries()).map(({ room }) => room);
  const methods = ["reward", "credit", "objective", "rollout", "search"];
  const others = ["value", "screen", "pairs", "context", "teacher", "analyst", "provider", "recipe", "env"];
  expect(rooms).toEqual([...methods, ...others]);
});

test("the names that a command line checks words against, read without the methods, are those of the registries", async () => {
  const tables = Object.fromEntries(
    (await registries()).map(({ room, entries }) => [room, Object.keys(entries).sort()]),
  );
  const read = {
    credit: creditNames,
    recipe: recipeNames,
    reward: rewardNames,
    rollout: strategyNames,
    search: searchNames,
  };
  for (const [room, names] of Object.entries(read)) expect([room, await names()]).toEqual([room, tables[room]]);
});

describe.each([shared, ...cases])("%s", (name, info, options) => {
  test("says what it is, and what each option means", () => {
    expect(info.title).not.toBe("");
    expect(info.meaning).toMatch(/\.$/);
    for (const [option, { meaning }] of Object.entries(options))
      expect([option, meaning.trim()]).not.toEqual([option, ""]);
  });

  test("its defaults pass its own checks, as values and as texts of a command line", () => {
    const defaults = Object.fromEntries(Object.entries(options).map(([option, spec]) => [option, spec.default]));
    expect(resolveOptions(options, {}, name)).toEqual(defaults);
    expect(resolveOptions(options, defaults, name)).toEqual(defaults);
    for (const [option, standard] of Object.entries(defaults)) {
      expect([option, parseOption(options, option, defaultText(standard), name)]).toEqual([option, standard]);
    }
  });

  test("an unknown option is refused, with the one that was meant", () => {
    expect(() => resolveOptions(options, { "no such option": 1 }, name)).toThrow(
      `No option of ${name} "no such option".`,
    );
    for (const option of Object.keys(options)) {
      expect(() => resolveOptions(options, { [`${option}x`]: 1 }, name)).toThrow(`Did you mean "`);
    }
  });

  test("its schema has every option with its default", () => {
    const { properties } = optionsSchema(options) as { properties: Record<string, { default: unknown }> };
    expect(Object.keys(properties)).toEqual(Object.keys(options));
    for (const [option, spec] of Object.entries(options)) expect(properties[option]?.default).toEqual(spec.default);
  });
});
