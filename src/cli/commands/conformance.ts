/** `limbeck conformance`: a server against its protocol, case by case. */
import type { CaseTable } from "../../base/conformance.ts";
import { lookUp } from "../../base/registry.ts";
import type { CaseResult } from "../../base/conformance.ts";
import type { JsonObject } from "../../trajectory/index.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { printTable } from "../look/table.ts";
import { plural } from "../look/units.ts";
import { givenCount } from "../model/open-given.ts";
import { readValue } from "../play/world-options.ts";
import { usageError } from "../parse.ts";
import { flag, text, texts } from "../options.ts";

const MARKS: Readonly<Record<CaseResult["outcome"], string>> = { passes: "✓", differs: "✗", lacks: "–" };

export const conformance: Command = {
  group: "learn",
  summary: "Check a server against its protocol",
  usage: "tinker|openenv --url URL [--case NAME…]",
  description:
    "tinker: a trainer, against the Tinker protocol. openenv: a world, against the OpenEnv protocol. Each case is required (a client cannot do without it), profile (servers may differ, and the note says how this one does it) or fault (what some server is known to do wrong). It passes, differs or lacks. The exit code is 0 when every required case passes.\n" +
    "On a trainer the cases make small adapters and unload them; checkpoints of their own are named conformance-…. On a world they reset and step episodes of their own. Nothing else is touched. A key is taken from TINKER_API_KEY or LIMBECK_OPENENV_KEY.",
  arity: [1, 1],
  subcommands: {
    tinker: "A trainer, against the Tinker protocol",
    openenv: "A world, against the OpenEnv protocol",
  },
  options: {
    url: text("URL", "Address of the server. Default: for tinker, TINKER_BASE_URL"),
    "base-model": text("NAME", "tinker: which base model. Default: the only one"),
    rank: text("N", "tinker: rank of the adapters that are made. Default: 4"),
    action: text("JSON", "openenv: an action the world takes. Default: made by its schema"),
    case: texts("NAME", "Only this case"),
    cases: flag("List the cases, without a server, and end"),
    markdown: flag("Print the table as Markdown"),
  },
  examples: [
    "limbeck conformance tinker --url http://127.0.0.1:4143",
    "limbeck conformance tinker --url http://gpu-1:8000 --case loss-scale --case step-settings",
    "limbeck conformance openenv --url ws://127.0.0.1:8000",
    "limbeck conformance tinker --cases",
  ],
  jsonFields: {
    name: "the case",
    title: "what it asks for",
    kind: "required, profile or fault",
    outcome: "passes, differs or lacks",
    note: "what the server does",
    green: "last line: whether every required case passes",
    baseModel: "last line: the base model that was used (tinker)",
    world: "last line: what the server calls its world (openenv)",
    passes: "last line: cases that pass",
    differs: "last line: cases where the server does something else",
    lacks: "last line: cases that the server does not have",
  },
  natives: ({ positionals }) => (positionals[0] === "openenv" ? ["openenv"] : []),
  run: check,
};

interface Protocol {
  readonly cases: CaseTable<never>;
  /** The report, with what it says beside the results. */
  check(url: string, options: CheckOptions): Promise<Checked>;
}

interface CheckOptions {
  readonly only?: readonly string[];
  readonly signal: AbortSignal;
  readonly onResult: (result: CaseResult) => void;
}

interface Checked {
  readonly green: boolean;
  readonly results: readonly CaseResult[];
  readonly about: Readonly<Record<string, string>>;
}

const PROTOCOLS: Readonly<Record<string, (invocation: Invocation) => Promise<Protocol>>> = {
  tinker: async (invocation) => {
    const { checkTinkerServer, tinkerCases } = await import("../../policy/tinker/conformance/run.ts");
    return {
      cases: tinkerCases,
      check: async (url, options) => {
        const { green, baseModel, results } = await checkTinkerServer({
          url,
          apiKey: invocation.io.env["TINKER_API_KEY"],
          baseModel: invocation.text("base-model"),
          rank: givenCount(invocation, "rank", 4),
          ...options,
        });
        return { green, results, about: { baseModel } };
      },
    };
  },
  openenv: async (invocation) => {
    const { checkOpenEnvServer, openEnvCases } = await import("../../env/openenv/conformance/run.ts");
    return {
      cases: openEnvCases,
      check: async (url, options) => {
        const { green, world, results } = await checkOpenEnvServer({
          url,
          key: invocation.io.env["LIMBECK_OPENENV_KEY"],
          action: givenAction(invocation),
          ...options,
        });
        return { green, results, about: { world } };
      },
    };
  },
};

function givenAction(invocation: Invocation): JsonObject | undefined {
  const text = invocation.text("action");
  if (text === undefined) return undefined;
  const value = readValue(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw usageError(`--action takes a JSON object, the fields of an action, not "${text}".`);
}

async function check(invocation: Invocation): Promise<number> {
  const [name = ""] = invocation.positionals;
  const protocol = await lookUp(PROTOCOLS, name, "protocol")(invocation);
  if (invocation.flag("cases")) {
    listCases(invocation, protocol);
    return EXIT.done;
  }
  const url = invocation.text("url") ?? (name === "tinker" ? invocation.io.env["TINKER_BASE_URL"] : undefined);
  if (url === undefined || url === "") throw usageError(`"limbeck conformance ${name}" needs --url URL.`);
  const only = invocation.texts("case");
  const { green, results, about } = await protocol.check(url, {
    signal: invocation.io.signal,
    ...(only.length === 0 ? {} : { only }),
    onResult: (result) => {
      if (invocation.json) invocation.printJson(result);
      else invocation.note(`${MARKS[result.outcome]} ${result.name}`);
    },
  });
  const count = (outcome: CaseResult["outcome"]): number => results.filter((one) => one.outcome === outcome).length;
  const counts = { passes: count("passes"), differs: count("differs"), lacks: count("lacks") };
  if (invocation.json) invocation.printJson({ green, ...about, ...counts });
  else if (invocation.flag("markdown")) printMarkdown(invocation, results);
  else {
    const columns = ["", "case", "kind", "outcome", "what the server does"];
    const cells = results.map(({ name, kind, outcome, note }) => [MARKS[outcome], name, kind, outcome, note]);
    printTable(invocation, columns, cells);
    invocation.print();
    const { style } = invocation;
    const said = `${plural(counts.passes, "case")} of ${results.length} pass, ${counts.differs} differ, ${counts.lacks} are lacking.`;
    invocation.print(
      green ? style.green(`Green: every required case passes. ${said}`) : style.red(`Not green. ${said}`),
    );
  }
  return green ? EXIT.done : EXIT.failed;
}

function listCases(invocation: Invocation, { cases }: Protocol): void {
  const rows = Object.entries(cases).map(([name, { title, kind }]) => ({ name, title, kind }));
  if (invocation.json) {
    for (const row of rows) invocation.printJson(row);
    return;
  }
  const cells = rows.map(({ name, kind, title }) => [name, kind, title]);
  printTable(invocation, ["case", "kind", "what it asks for"], cells);
}

function printMarkdown(invocation: Invocation, results: readonly CaseResult[]): void {
  const cell = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, " ").replaceAll("|", "\\|");
  invocation.print("| case | kind | outcome | what the server does |");
  invocation.print("| --- | --- | --- | --- |");
  for (const { name, kind, outcome, note } of results) {
    invocation.print(`| \`${name}\` | ${kind} | ${outcome} | ${cell(note)} |`);
  }
}
