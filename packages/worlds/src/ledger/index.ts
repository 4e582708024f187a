/** Ledger: bookings that can be checked one by one. */
import { option } from "limbeck-base/base/option";
import { randomChoice } from "limbeck-core/env/random-choice";
import { defineWorld } from "limbeck-core/env/world";
import { levels, type LevelId } from "./day.ts";
import { careless, expert } from "./demonstrators.ts";
import { createLedger, LEDGER_SUMMARY } from "./ledger.ts";

export const ledger = defineWorld({
  id: "ledger",
  info: { title: "Ledger", meaning: LEDGER_SUMMARY },
  options: {
    seed: option.number(1, "seed of the days", { whole: true }),
    level: option.choice("small", Object.keys(levels) as LevelId[], "bookings of a day: 3, 4 or 6"),
    marks: option.choice("end", ["end", "each"], "when the agent is told which bookings were wrong"),
  },
  parts: {
    booking: "1 where this booking is right, by the books as they stand",
    accounts: "1 where both its accounts are right",
    amount: "1 where its amount is right",
  },
  create: createLedger,
  demonstrators: { expert, careless, random: randomChoice },
});
