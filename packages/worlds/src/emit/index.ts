/** Emit: structured output against a schema. */
import { option } from "limbeck-base/base/option";
import { defineWorld } from "limbeck-core/env/world";
import { expert, random, sloppy } from "./demonstrators.ts";
import { createEmit, EMIT_SUMMARY } from "./emit.ts";
import { levels, type OrderLevelId } from "./order.ts";

export const emit = defineWorld({
  id: "emit",
  info: { title: "Emit", meaning: EMIT_SUMMARY },
  options: {
    seed: option.number(1, "seed of the orders", { whole: true }),
    level: option.choice("small", Object.keys(levels) as OrderLevelId[], "fields that are asked for: 2, 3 or 5"),
  },
  parts: {
    parse: "1 where the reply is one JSON object and nothing else",
    fields: "share of the asked fields that are there with their type; others count as missed ones",
    values: "share of the asked fields with the right value",
  },
  create: createEmit,
  demonstrators: { expert, sloppy, random },
});
