/** `limbeck catalog`: every published system and its state here. */
import { EngineError } from "../../base/index.ts";
import { nearest } from "../../base/registry.ts";
import { loadCatalog } from "../catalog/catalog.ts";
import { STATES, type Entry, type State } from "../catalog/system.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { printTable } from "../look/table.ts";
import { padEnd, wrap } from "../look/text-width.ts";
import type { Style } from "../look/style.ts";
import { plural } from "../look/units.ts";
import { text } from "../options.ts";

const MARKS: Readonly<Record<State, string>> = { works: "✓", part: "◐", "not yet": "·" };

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
    state: text("S", 'works, part or "not yet"', () => STATES),
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
    state: "works, part or not yet",
    lives: "where it is here, or null",
    command: "one command that shows it, or null",
    reason: "why not, or what is missing, or null",
  },
  run: async (invocation) => {
    const entries = loadCatalog();
    const [name] = invocation.positionals;
    if (name !== undefined) showEntry(invocation, findEntry(entries, name));
    else listEntries(invocation, entries);
    return EXIT.done;
  },
};

function distinct(field: "family" | "module"): string[] {
  return [...new Set(loadCatalog().map((entry) => entry[field]))].sort();
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
    shown.map((entry) => [MARKS[entry.state], entry.system, entry.family, entry.command ?? entry.what]),
    // Sentences without an end make no table; a pipe gets lines of a fair width.
    { piped: 160 },
  );
  const counts = STATES.map(
    (state) => `${MARKS[state]} ${shown.filter((entry) => entry.state === state).length} ${state}`,
  );
  invocation.print();
  invocation.print(`${plural(shown.length, "system")}: ${counts.join("   ")}`);
  invocation.note(style.dim("limbeck catalog NAME tells more about one."));
}

function paintState(style: Style, mark: string, text: string): string {
  if (mark === MARKS.works) return style.green(text);
  return mark === MARKS.part ? style.yellow(text) : style.dim(text);
}

function showEntry(invocation: Invocation, entry: Entry): void {
  const { style, io } = invocation;
  if (invocation.json) {
    invocation.printJson(entry);
    return;
  }
  const mark = MARKS[entry.state];
  invocation.print(`${style.bold(entry.system)}  ${paintState(style, mark, `${mark} ${entry.state}`)}`);
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
    [entry.state === "part" ? "missing" : "why not", entry.reason],
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
