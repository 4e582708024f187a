/** `limbeck catalog`: every published system and its state here. */
import { EngineError } from "limbeck-base/base/errors";
import { input } from "limbeck-base/base/input";
import { nearestName } from "limbeck-base/base/registry";
import type { Entry } from "../catalog/catalog.ts";
import { STATES, STATE_NAMES } from "../catalog/state.ts";
import type { Invocation } from "../command.ts";
import { defineCommand } from "../command-of.ts";
import { printTable } from "../look/table.ts";
import { padEnd, wrap } from "../look/text-width.ts";
import type { Style } from "../look/style.ts";
import { plural } from "limbeck-base/base/units";

export const catalog = defineCommand({
  group: "look",
  summary: "Every published system and whether it works here",
  description:
    "Without a name: one line a system. With a name, or the only beginning of one: what it does, how, and where it is.",
  input: {
    name: input.text("NAME", "One system in full", { at: 0 }),
    family: input.choice("F", "Only this family", () => distinct("family")),
    module: input.choice("M", "Only systems that belong to this module", () => distinct("module")),
    state: input.choice("S", 'works, "by construction", measured, part or "not yet"', STATE_NAMES),
  },
  examples: ["limbeck catalog", "limbeck catalog GiGPO", "limbeck catalog --family credit --state works"],
  line: {
    system: "short name",
    title: "title of the publication",
    family: "what kind of method",
    scope: "core, near or far from this engine's purpose",
    module: "the module it belongs to",
    what: "what it does",
    mechanism: "how",
    proof: "what would show that it works",
    repository: "its authors' code, or null",
    state: "works, by construction, measured (and not reproduced), part or not yet",
    lives: "where it is here, or null",
    command: "one command that runs it, or null",
    metric: "what that command prints where the mechanism acts, or null",
    control: "the words that switch the mechanism off and what is printed then, or null",
    seeds: "paired seeds of the measurement that shows it; null for an exact proof",
    shownBy: "tests and sections of docs/evidence/results that show what proof asks for",
    reason: "departures, what was measured, what is missing or what it waits for, or null",
  },
  run: async ({ name, ...wanted }, frame) => {
    const entries = await load();
    const fields = ["family", "module", "state"] as const;
    const listed =
      name === undefined
        ? entries.filter((entry) => fields.every((field) => (wanted[field] ?? entry[field]) === entry[field]))
        : [findEntry(entries, name)];
    for (const entry of listed) frame.emit(entry);
    if (name === undefined) printEntries(frame, listed);
    else for (const entry of listed) printEntry(frame, entry);
  },
});

/** Its data is read by packages that no other command needs at its start. */
async function load(): Promise<Entry[]> {
  return (await import("../catalog/catalog.ts")).loadCatalog();
}

async function distinct(field: "family" | "module"): Promise<string[]> {
  return [...new Set((await load()).map((entry) => entry[field]))].sort();
}

/** The system of this name in any case, or the only one whose name begins with it or holds it. */
function findEntry(entries: readonly Entry[], name: string): Entry {
  const wanted = name.toLowerCase();
  const fits = [
    (key: string) => key === wanted,
    (key: string) => key.startsWith(wanted),
    (key: string) => key.includes(wanted),
  ];
  const found = fits
    .map((fit) => entries.filter(({ system }) => wanted !== "" && fit(system.toLowerCase())))
    .find((some) => some.length > 0);
  const [first, ...others] = found ?? [];
  if (first !== undefined && others.length === 0) return first;
  if (found !== undefined) {
    const systems = found.map((entry) => entry.system);
    const message = `"${name}" fits ${systems.length} systems: ${systems.join(", ")}. Give more of the name.`;
    throw new EngineError("ambiguous-id", message, { details: { systems } });
  }
  const systems = entries.map(({ system }) => system);
  const suggestion = nearestName(name, systems);
  const hint = suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
  throw new EngineError("unknown-name", `No system "${name}".${hint} "limbeck catalog" lists all ${entries.length}.`, {
    details: { kind: "system", name, ...(suggestion === undefined ? {} : { suggestion }) },
  });
}

function printEntries(invocation: Invocation, entries: readonly Entry[]): void {
  const { style } = invocation;
  printTable(
    invocation,
    [
      { title: " ", paint: (padded, cell) => paintState(style, cell, padded) },
      { title: "system", paint: style.bold },
      { title: "family", paint: style.cyan },
      "what it does, or the command that shows it",
    ],
    entries.map((entry) => [STATES[entry.state].mark, entry.system, entry.family, entry.command ?? entry.what]),
    // Sentences without an end make no table; a pipe gets lines of a fair width.
    { piped: 160 },
  );
  const counts = STATE_NAMES.map((state) => {
    const { mark, label } = STATES[state];
    return `${mark} ${entries.filter((entry) => entry.state === state).length} ${label}`;
  });
  invocation.print();
  invocation.print(`${plural(entries.length, "system")}: ${counts.join("   ")}`);
  invocation.note(style.dim("limbeck catalog NAME tells more about one."));
}

function paintState(style: Style, mark: string, text: string): string {
  if (mark === STATES.works.mark) return style.green(text);
  return mark === STATES["not yet"].mark ? style.dim(text) : style.yellow(text);
}

function printEntry({ print, style, io }: Invocation, entry: Entry): void {
  const { mark, label: state, reason } = STATES[entry.state];
  print(`${style.bold(entry.system)}  ${paintState(style, mark, `${mark} ${state}`)}`);
  print(style.dim(entry.title));
  print();
  const facts: readonly (readonly [string, string | null])[] = [
    ["family", `${entry.family} (${entry.scope}), module ${entry.module}`],
    ["what", entry.what],
    ["how", entry.mechanism],
    ["proof", entry.proof],
    ["code of the authors", entry.repository],
    ["lives in", entry.lives],
    ["try", entry.command],
    ["it prints", entry.metric],
    ["switched off", entry.control],
    ["seeds", entry.seeds?.toString() ?? null],
    ...entry.shownBy.map((proof, at) => [at === 0 ? "shown by" : "", proof] as const),
    [reason, entry.reason],
  ];
  const present = facts.filter((fact): fact is readonly [string, string] => fact[1] !== null);
  const label = Math.max(...present.map(([name]) => name.length));
  const columns = Math.min(io.terminal.out ? io.terminal.columns : 100, 110) - label - 2;
  for (const [name, text] of present) {
    for (const [index, line] of wrap(text, columns).entries()) {
      print(`${style.dim(padEnd(index === 0 ? name : "", label))}  ${line}`);
    }
  }
}
