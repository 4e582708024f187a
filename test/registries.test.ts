/** The laws of every registry: one option language, in which each entry says what it takes, by default and at most. */
import { describe, expect, test } from "vitest";
import { optionsSchema } from "../packages/base/src/base/option-schema.ts";
import { resolveOptions, defaultText, parseOption } from "../packages/base/src/base/options.ts";
import type { DeepTable } from "../packages/base/src/base/option-table.ts";
import type { EntryInfo } from "../packages/base/src/base/method-info.ts";
import { registries } from "../packages/limbeck/src/cli/methods/all-methods.ts";
import {
  creditPart,
  recipePart,
  rewardPart,
  searchPart,
  strategyPart,
} from "../packages/core/src/recipe/methods.part.ts";
import { sharedSettings } from "../packages/core/src/update/settings.ts";

type Case = readonly [name: string, info: EntryInfo, options: DeepTable];

/** By the room; a test for each would be a thousand of them. */
const rooms = (await registries()).map(({ room, entries }): [room: string, cases: Case[]] => [
  room,
  Object.entries(entries).map(([id, { info, options }]) => [`${room}/${id}`, info, options]),
]);
const shared: Case = ["settings", { title: "Shared settings", meaning: "Of every recipe." }, sharedSettings];

test("every registry is here", async () => {
  const names = (await registries()).map(({ room }) => room);
  const methods = ["reward", "credit", "objective", "rollout", "search"];
  const others = ["value", "screen", "pairs", "context", "teacher", "analyst", "provider", "recipe", "env"];
  expect(names).toEqual([...methods, ...others]);
});

test("the names that a command line checks words against, read without the methods, are those of the registries", async () => {
  const tables = Object.fromEntries(
    (await registries()).map(({ room, entries }) => [room, Object.keys(entries).sort()]),
  );
  const read = {
    credit: creditPart.names,
    recipe: recipePart.names,
    reward: rewardPart.names,
    rollout: strategyPart.names,
    search: searchPart.names,
  };
  for (const [room, names] of Object.entries(read)) expect([room, await names()]).toEqual([room, tables[room]]);
});

describe.each([["settings", [shared]] as (typeof rooms)[number], ...rooms])("%s", (_, cases) => {
  test("says what it is, and what each option means", () => {
    for (const [name, info, options] of cases) {
      expect([name, info.title]).not.toEqual([name, ""]);
      expect(`${name}: ${info.meaning}`).toMatch(/\.$/);
      for (const [option, { meaning }] of Object.entries(options))
        expect([name, option, meaning.trim()]).not.toEqual([name, option, ""]);
    }
  });

  test("its defaults pass its own checks, as values and as texts of a command line", () => {
    for (const [name, , options] of cases) {
      const defaults = Object.fromEntries(Object.entries(options).map(([option, spec]) => [option, spec.default]));
      expect([name, resolveOptions(options, {}, name)]).toEqual([name, defaults]);
      expect([name, resolveOptions(options, defaults, name)]).toEqual([name, defaults]);
      for (const [option, standard] of Object.entries(defaults)) {
        const parsed = parseOption(options, option, defaultText(standard), name);
        expect([name, option, parsed]).toEqual([name, option, standard]);
      }
    }
  });

  test("an unknown option is refused, with the one that was meant", () => {
    for (const [name, , options] of cases) {
      expect(() => resolveOptions(options, { "no such option": 1 }, name)).toThrow(
        `No option of ${name} "no such option".`,
      );
      for (const option of Object.keys(options)) {
        expect(() => resolveOptions(options, { [`${option}x`]: 1 }, name), `${name} ${option}`).toThrow(
          `Did you mean "`,
        );
      }
    }
  });

  test("its schema has every option with its default", () => {
    for (const [name, , options] of cases) {
      const { properties } = optionsSchema(options) as { properties: Record<string, { default: unknown }> };
      expect([name, ...Object.keys(properties)]).toEqual([name, ...Object.keys(options)]);
      for (const [option, spec] of Object.entries(options)) {
        expect([name, option, properties[option]?.default]).toEqual([name, option, spec.default]);
      }
    }
  });
});
