/** docs/lookup/generated/catalog.md: every published system and its state here. */
import { type EntryInfo, isExperimental } from "../../packages/base/src/base/method-info.ts";
import type { Entry } from "../../packages/limbeck/src/cli/catalog/catalog.ts";
import { STATES, STATE_NAMES, type State } from "../../packages/limbeck/src/cli/catalog/state.ts";
import { cell, GENERATED, table } from "./markdown.ts";

const SCOPES = ["core", "near", "far"] as const;

/** Works, part and not yet on 15 November 2026, when a row worked because a line said so. */
const BEFORE: Readonly<Record<string, readonly [works: number, part: number, notYet: number]>> = {
  core: [20, 34, 27],
  near: [7, 15, 60],
  far: [0, 7, 34],
  benchmark: [0, 0, 14],
  credit: [10, 14, 4],
  data: [0, 2, 16],
  distill: [8, 6, 9],
  env: [0, 0, 6],
  inference: [0, 0, 7],
  memory: [0, 2, 5],
  model: [0, 1, 12],
  orchestrate: [1, 0, 18],
  reward: [0, 13, 2],
  rollout: [4, 11, 7],
  safety: [0, 2, 6],
  search: [3, 1, 13],
  skill: [1, 4, 2],
  all: [27, 56, 121],
};

/** The entries by their files. */
export type Followed = ReadonlyMap<string, EntryInfo>;

export function catalogPage(entries: readonly Entry[], followed: Followed): string {
  const families = [...new Set(entries.map((entry) => entry.family))].sort();
  const shown = entries.filter(({ shownBy }) => shownBy.length > 0);
  return `${[
    GENERATED,
    "# Catalog",
    `${entries.length} published systems, and whether each works here. \`limbeck catalog NAME\` tells more about one; its data is \`packages/limbeck/data/catalog.tsv\`, and \`packages/limbeck/data/claims.yaml\` for its state. \`test/claims.test.ts\` runs the command of every row that works or was measured, at its smallest, and checks its metric and its proof; slow ones run in \`npm run matrix\`.`,
    table(
      ["state", "systems", "means"],
      STATE_NAMES.map((state) => [STATES[state].label, String(count(entries, state)), STATES[state].means]),
    ),
    "Beside its state, a row whose method is known no better says so: *inferred* from an abstract, or after a third party's *reading*. All others follow published code, a paper or common practice; the pages of methods and recipes name what was read.",
    "## States by scope and family",
    "Before 16 November 2026 a row worked because a line said so; since then its command is run and its proof looked up.",
    table(
      ["", "worked before", "part before", "not yet before", ...STATE_NAMES.map((state) => STATES[state].label)],
      [
        ...SCOPES.map((scope) =>
          countsOf(
            scope,
            entries.filter((entry) => entry.scope === scope),
          ),
        ),
        ...families.map((family) =>
          countsOf(
            family,
            entries.filter((entry) => entry.family === family),
          ),
        ),
        countsOf("all", entries),
      ],
    ),
    "## What runs, and what shows it",
    "Switched off: the words that leave out the mechanism and nothing else, and what the metric is then. The check runs both. Seeds: paired seeds of a measurement; an exact proof needs none.",
    table(
      ["system", "state", "command", "it prints", "switched off", "seeds", "shown by", "departs"],
      shown.map((entry) => proofRow(entry, followed)),
    ),
    ...families.flatMap((family) => [
      `## ${family}`,
      table(
        ["system", "what it does", "state", "lives in", "command or reason"],
        entries.filter((entry) => entry.family === family).map((entry) => row(entry, followed)),
      ),
    ]),
  ].join("\n\n")}\n`;
}

function count(entries: readonly Entry[], state: State): number {
  return entries.filter((entry) => entry.state === state).length;
}

function countsOf(name: string, entries: readonly Entry[]): string[] {
  return [name, ...(BEFORE[name] ?? []).map(String), ...STATE_NAMES.map((state) => String(count(entries, state)))];
}

function proofRow(entry: Entry, followed: Followed): string[] {
  const { system, state, command, metric, control, seeds, shownBy, reason } = entry;
  const facts = [`**${cell(system)}**`, stateOf(entry, followed), code(command), code(metric), code(control)];
  const departs = state === "measured" || reason === null ? "" : cell(reason);
  return [...facts, seeds?.toString() ?? "", shownBy.map((proof) => cell(proof)).join("<br>"), departs];
}

function row(entry: Entry, followed: Followed): string[] {
  const reason = entry.reason === null ? "" : cell(entry.reason);
  return [
    `**${cell(entry.system)}**`,
    cell(entry.what),
    stateOf(entry, followed),
    code(entry.lives),
    [code(entry.command), reason].filter((part) => part !== "").join(" "),
  ];
}

/** "works (inferred)". */
function stateOf({ state, lives }: Entry, followed: Followed): string {
  const { label } = STATES[state];
  const info = followed.get(lives ?? "");
  return info !== undefined && isExperimental(info) ? `${label} (${info.confidence})` : label;
}

function code(text: string | null): string {
  return text === null ? "" : `\`${text.replaceAll("|", "\\|")}\``;
}
