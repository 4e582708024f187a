/** Small worlds as strangers would write them, by docs/learn/new-world.md alone; `run.ts` walks the page with each. */
import calendar from "./calendar.ts";
import form from "./form.ts";
import stock from "./stock.ts";
import tickets from "./tickets.ts";
import triage from "./triage.ts";

/** The first five, written before the defaults of trainings were frozen. */
export const strangers = { tickets, calendar, form, triage, stock } as const;
