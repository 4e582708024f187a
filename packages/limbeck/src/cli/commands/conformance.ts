/** `limbeck conformance`: a server against its protocol, case by case. */
import type { CaseResult, CaseTable } from "limbeck-base/base/conformance";
import { input } from "limbeck-base/base/input";
import type { Input } from "limbeck-base/base/operation";
import type { JsonObject } from "limbeck-base/base/json";
import type { Invocation } from "../command.ts";
import { commandGroup, defineCommand } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";
import { printTable } from "../look/table.ts";
import { plural } from "limbeck-base/base/units";
import { usageError } from "../parse.ts";

const MARKS: Readonly<Record<CaseResult["outcome"], string>> = { passes: "✓", differs: "✗", lacks: "–" };

const urlInput = { url: input.text("URL", "Address of the server. Default: for tinker, TINKER_BASE_URL") };

const caseInputs = {
  case: input.texts("NAME", "Only this case"),
  cases: input.flag("List the cases, without a server, and end"),
  markdown: input.flag("Print the table as Markdown"),
};

const caseFacts = {
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
};

const tinker = defineCommand({
  group: "learn",
  summary: "A trainer, against the Tinker protocol",
  input: {
    ...urlInput,
    baseModel: input.text("NAME", "tinker: which base model. Default: the only one"),
    rank: input.count("N", "tinker: rank of the adapters that are made", { default: 4 }),
    ...caseInputs,
  },
  examples: [],
  line: caseFacts,
  run: async ({ baseModel, rank, ...given }, frame) => {
    const { checkTinkerServer, tinkerCases } = await import("limbeck-policy/policy/tinker/conformance/run");
    const { TINKER_API_KEY: apiKey, TINKER_BASE_URL } = frame.environment;
    const protocol = { name: "tinker", url: given.url ?? TINKER_BASE_URL, cases: tinkerCases };
    return await tryCases(frame, given, protocol, async (options) =>
      checkTinkerServer({ apiKey, baseModel, rank, ...options }),
    );
  },
});

const openenv = defineCommand({
  group: "learn",
  summary: "A world, against the OpenEnv protocol",
  input: {
    ...urlInput,
    action: input.text("JSON", "openenv: an action the world takes. Default: made by its schema"),
    ...caseInputs,
  },
  examples: [],
  line: caseFacts,
  natives: () => ["openenv"],
  run: async (given, frame) => {
    const { checkOpenEnvServer, openEnvCases } = await import("limbeck-worlds/openenv/conformance/run");
    const { LIMBECK_OPENENV_KEY: key } = frame.environment;
    const protocol = { name: "openenv", url: given.url, cases: openEnvCases };
    return await tryCases(frame, given, protocol, async (options) =>
      checkOpenEnvServer({ key, action: await givenAction(given.action), ...options }),
    );
  },
});

async function givenAction(text: string | undefined): Promise<JsonObject | undefined> {
  const { parseObject } = await import("limbeck-base/base/json");
  const action = text === undefined ? undefined : parseObject(text);
  if (text === undefined || action !== undefined) return action;
  throw usageError(`--action takes a JSON object, the fields of an action, not "${text}".`);
}

interface Options {
  readonly url: string;
  readonly only: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly onResult: (result: CaseResult) => void;
}

type Report = object & { readonly green: boolean; readonly results: readonly CaseResult[] };

async function tryCases(
  invocation: Invocation,
  given: Input<typeof caseInputs>,
  { name, url, cases }: { readonly name: string; readonly url: string | undefined; readonly cases: CaseTable<never> },
  check: (options: Options) => Promise<Report>,
): Promise<number> {
  const { io, json, style, print, note, printJson } = invocation;
  if (given.cases) {
    const rows = Object.entries(cases).map(([id, { title, kind }]) => ({ name: id, title, kind }));
    if (json) for (const row of rows) printJson(row);
    const cells = rows.map((row) => [row.name, row.kind, row.title]);
    printTable(invocation, ["case", "kind", "what it asks for"], cells);
    return EXIT.done;
  }
  if (url === undefined || url === "") throw usageError(`"limbeck conformance ${name}" needs --url URL.`);
  const onResult = (result: CaseResult): void => {
    if (json) printJson(result);
    note(`${MARKS[result.outcome]} ${result.name}`);
  };
  const only = given.case.length === 0 ? undefined : given.case;
  const { green, results, ...about } = await check({ url, signal: io.signal, only, onResult });
  const count = (outcome: CaseResult["outcome"]): number => results.filter((one) => one.outcome === outcome).length;
  const [passes, differs, lacks] = [count("passes"), count("differs"), count("lacks")];
  if (json) printJson({ green, ...about, passes, differs, lacks });
  if (given.markdown) printMarkdown(invocation, results);
  else {
    const cells = results.map((one) => [MARKS[one.outcome], one.name, one.kind, one.outcome, one.note]);
    printTable(invocation, ["", "case", "kind", "outcome", "what the server does"], cells);
    print();
    const counts = `${plural(passes, "case")} of ${results.length} pass, ${differs} differ, ${lacks} are lacking.`;
    print(green ? style.green(`Green: every required case passes. ${counts}`) : style.red(`Not green. ${counts}`));
  }
  return green ? EXIT.done : EXIT.failed;
}

function printMarkdown({ print }: Invocation, results: readonly CaseResult[]): void {
  const cell = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, " ").replaceAll("|", "\\|");
  print("| case | kind | outcome | what the server does |");
  print("| --- | --- | --- | --- |");
  for (const { name, kind, outcome, note } of results) {
    print(`| \`${name}\` | ${kind} | ${outcome} | ${cell(note)} |`);
  }
}

export const conformance = commandGroup(
  "conformance",
  { tinker, openenv },
  {
    group: "learn",
    summary: "Check a server against its protocol",
    usage: "tinker | openenv --url URL [options]",
    description:
      "tinker: a trainer, against the Tinker protocol. openenv: a world, against the OpenEnv protocol. Each case is required (a client cannot do without it), profile (servers may differ, and the note says how this one does it) or fault (what some server is known to do wrong). It passes, differs or lacks. The exit code is 0 when every required case passes.\n" +
      "On a trainer the cases make small adapters and unload them; checkpoints of their own are named conformance-…. On a world they reset and step episodes of their own. Nothing else is touched. A key is taken from TINKER_API_KEY or LIMBECK_OPENENV_KEY.",
    examples: [
      "limbeck conformance tinker --url http://127.0.0.1:4143",
      "limbeck conformance tinker --url http://gpu-1:8000 --case loss-scale --case step-settings",
      "limbeck conformance openenv --url ws://127.0.0.1:8000",
      "limbeck conformance tinker --cases",
    ],
  },
);
