/** `limbeck catalog`: every published system and its state here. */
import { EngineError } from "../../base/errors.ts";
import { nearest } from "../../base/registry.ts";
import type { Entry } from "../catalog/catalog.ts";
import { STATES, STATE_NAMES } from "../catalog/state.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { printTable } from "../look/table.ts";
import { padEnd, wrap } from "../look/text-width.ts";
import type { Style } from "../look/style.ts";
import { plural } from "../look/units.ts";
import { text } from "../options.ts";

const REASONS: Readonly<Record<Entry["state"], string>> = {
  works: "departs",
  measured: "measured",
  part: "missing",
  "not yet": "why not",
};

export const catalog: Command = {
  group: "look",
  summary: "Every published system and whether it works here",
  usage: "[NAME] [--family F] [--module M] [--state S]",
  description:
    "Without a name: one line a system. With a name, or the only beginning of one: what it does, how, and where it is.",
  arity: [0, 1],
  options: {
    family: text("F", "Only this family", () => distinct("family")),
    module: text("M", "Only systems that belong to this module", () => distinct("module")),
    state: text("S", 'works, measured, part or "not yet"', () => STATE_NAMES),
  },
  examples: ["limbeck catalog", "limbeck catalog GiGPO", "limbeck catalog --family credit --state works"],
  jsonFields: {
    system: "short name",
    title: "title of the publication",
    family: "what kind of method",
    scope: "core, near or far from this engine's purpose",
    module: "the module it belongs to",
    what: "what it does",
    mechanism: "how",
    proof: "what would show that it works",
    repository: "its authors' code, or null",
    state: "works, measured (and not reproduced), part or not yet",
    lives: "where it is here, or null",
    command: "one command that runs it, or null",
    metric: "what that command prints where the mechanism acts, or null",
    shownBy: "tests and sections of docs/results.md that show what proof asks for",
    reason: "departures, what was measured, what is missing or what it waits for, or null",
  },
  run: async (invocation) => {
    const entries = await load();
    const [name] = invocation.positionals;
    if (name !== undefined) showEntry(invocation, findEntry(entries, name));
    else listEntries(invocation, entries);
    return EXIT.done;
  },
};

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
  const named = entries.map((entry) => ({ entry, key: entry.system.toLowerCase() }));
  for (const fits of [
    (key: string) => key === wanted,
    (key: string) => key.startsWith(wanted),
    (key: string) => key.includes(wanted),
  ]) {
    const found = named.filter(({ key }) => wanted !== "" && fits(key)).map(({ entry }) => entry);
    const [first] = found;
    if (found.length === 1 && first !== undefined) return first;
    if (found.length > 1) {
      const systems = found.map((entry) => entry.system);
      throw new EngineError(
        "ambiguous-id",
        `"${name}" fits ${systems.length} systems: ${systems.join(", ")}. Give more of the name.`,
        {
          details: { systems },
        },
      );
    }
  }
  const near = nearest(
    name,
    entries.map((entry) => entry.system),
  );
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  throw new EngineError("unknown-name", `No system "${name}".${hint} "limbeck catalog" lists all ${entries.length}.`, {
    details: { kind: "system", name, ...(near === undefined ? {} : { suggestion: near }) },
  });
}

function listEntries(invocation: Invocation, entries: readonly Entry[]): void {
  const { style } = invocation;
  const wanted = {
    family: invocation.text("family"),
    module: invocation.text("module"),
    state: invocation.text("state"),
  };
  const shown = entries.filter(
    (entry) =>
      (wanted.family ?? entry.family) === entry.family &&
      (wanted.module ?? entry.module) === entry.module &&
      (wanted.state ?? entry.state) === entry.state,
  );
  if (invocation.json) {
    for (const entry of shown) invocation.printJson(entry);
    return;
  }
  printTable(
    invocation,
    [
      { title: " ", paint: (padded, cell) => paintState(style, cell, padded) },
      { title: "system", paint: style.bold },
      { title: "family", paint: style.cyan },
      "what it does, or the command that shows it",
    ],
    shown.map((entry) => [STATES[entry.state].mark, entry.system, entry.family, entry.command ?? entry.what]),
    // Sentences without an end make no table; a pipe gets lines of a fair width.
    { piped: 160 },
  );
  const counts = STATE_NAMES.map((state) => {
    const { mark, label } = STATES[state];
    return `${mark} ${shown.filter((entry) => entry.state === state).length} ${label}`;
  });
  invocation.print();
  invocation.print(`${plural(shown.length, "system")}: ${counts.join("   ")}`);
  invocation.note(style.dim("limbeck catalog NAME tells more about one."));
}

function paintState(style: Style, mark: string, text: string): string {
  if (mark === STATES.works.mark) return style.green(text);
  return mark === STATES["not yet"].mark ? style.dim(text) : style.yellow(text);
}

function showEntry(invocation: Invocation, entry: Entry): void {
  const { style, io } = invocation;
  if (invocation.json) {
    invocation.printJson(entry);
    return;
  }
  const { mark, label: state } = STATES[entry.state];
  invocation.print(`${style.bold(entry.system)}  ${paintState(style, mark, `${mark} ${state}`)}`);
  invocation.print(style.dim(entry.title));
  invocation.print();
  const facts: readonly (readonly [string, string | null])[] = [
    ["family", `${entry.family} (${entry.scope}), module ${entry.module}`],
    ["what", entry.what],
    ["how", entry.mechanism],
    ["proof", entry.proof],
    ["code of the authors", entry.repository],
    ["lives in", entry.lives],
    ["try", entry.command],
    ["it prints", entry.metric],
    ...entry.shownBy.map((proof, at) => [at === 0 ? "shown by" : "", proof] as const),
    [REASONS[entry.state], entry.reason],
  ];
  const present = facts.filter((fact): fact is readonly [string, string] => fact[1] !== null);
  const label = Math.max(...present.map(([name]) => name.length));
  const columns = Math.min(io.terminal.out ? io.terminal.columns : 100, 110) - label - 2;
  for (const [name, text] of present) {
    for (const [index, line] of wrap(text, columns).entries()) {
      invocation.print(`${style.dim(padEnd(index === 0 ? name : "", label))}  ${line}`);
    }
  }
}
