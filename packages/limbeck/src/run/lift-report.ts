/** What a lift found, for a pull request (Markdown), people (HTML), CI (JUnit) and programs (JSON). */
import { resolve } from "node:path";
import { usageError } from "limbeck-base/base/errors";
import { cleanLine } from "limbeck-base/base/clean-text";
import type { JsonObject } from "limbeck-base/base/json";
import type { LiftRecord, Difference } from "limbeck-core/skill/library/library-skill";
import { withSign } from "limbeck-core/skill/install/facts";
import { documentOf, writeReportFile } from "limbeck-store/report/document";
import { escapeHtml, markup } from "limbeck-store/report/html";
import type { Agreement } from "limbeck-core/eval/lift/judge-agreement";
import type { Lift } from "limbeck-core/eval/lift/lift";
import type { LiftContext, LiftInput } from "./lift.inputs.ts";

const VERDICTS: Readonly<Record<LiftRecord["verdict"], string>> = {
  helps: "helps",
  harms: "harms",
  "no-lift": "no difference",
  "cannot-tell": "cannot tell yet",
};
const ENDINGS = ["md", "html", "xml", "json"] as const;
type Ending = (typeof ENDINGS)[number];

/** A skill as the event `lift` has it. */
export type LiftedSkill = Pick<Lift, "verdict" | "success" | "passAll" | "promptTokens"> &
  Record<"overBare" | "overPlacebo", Difference> & {
    readonly name: string;
    readonly pairs: number;
    readonly status: string;
    readonly decision: string | null;
  };

export interface LiftReport {
  readonly skills: readonly LiftedSkill[];
  /** Skills without a measurement, and why. */
  readonly problems: readonly { readonly name: string; readonly problem: string }[];
  readonly agreement?: Agreement | undefined;
  readonly plan?: JsonObject | undefined;
  readonly end?: { readonly gate: string; readonly episodes: number } | undefined;
  /** Skills by which the gate fails. */
  readonly failed: readonly string[];
}

/** Gathers the events on the way, and writes it in the end. */
export function openReport({ out }: Pick<LiftInput, "out">, context: LiftContext) {
  const files = out.map((file) => [file, endingOf(file)] as const);
  const skills: LiftedSkill[] = [];
  const problems: { name: string; problem: string }[] = [];
  const kept: Record<string, unknown> = {};
  const emit: LiftContext["emit"] = (event) => {
    if (event.event === "lift") skills.push(event as unknown as LiftedSkill);
    else if (event.event === "problem") problems.push(event as never);
    else kept[event.event] = event;
    context.emit(event);
  };
  return {
    context: { ...context, emit },
    write: async (failed: readonly string[]): Promise<void> => {
      const { agreement, plan, end } = kept as Pick<LiftReport, "agreement" | "plan" | "end">;
      const report = { skills, problems, agreement, plan, end, failed };
      for (const [file, ending] of files) await writeReportFile(resolve(context.cwd, file), FORMS[ending](report));
    },
  };
}

function endingOf(file: string): Ending {
  const ending = ENDINGS.find((one) => file.endsWith(`.${one}`));
  if (ending !== undefined) return ending;
  throw usageError(`--out ${file}: the report is written by its ending, .${ENDINGS.join(", .")}.`);
}

const HEAD = [
  "skill",
  "verdict",
  "with it",
  "nothing",
  "placebo",
  "over the placebo",
  "over nothing",
  "pass^k",
  "pairs",
];

function rowOf({ name, verdict, success, overPlacebo, overBare, passAll, pairs }: LiftedSkill): string[] {
  const share = (value: number): string => (Number.isFinite(value) ? value.toFixed(3) : "-");
  const between = ({ value, low, high }: Difference): string =>
    `${withSign(value)} (${withSign(low)} to ${withSign(high)})`;
  return [
    cleanLine(name),
    VERDICTS[verdict],
    ...[success.skill, success.bare, success.placebo].map(share),
    between(overPlacebo),
    between(overBare),
    `${share(passAll.skill)} (k = ${passAll.k}; nothing ${share(passAll.bare)})`,
    String(pairs),
  ];
}

function footOf({ agreement, end, problems }: LiftReport): string[] {
  const judged =
    agreement === undefined
      ? []
      : [
          `A judge decided. It agreed with a person on ${(100 * agreement.share).toFixed(0)}% of ${agreement.verdicts} answers (95% interval ${(100 * agreement.low).toFixed(0)}% to ${(100 * agreement.high).toFixed(0)}%, kappa ${agreement.kappa.toFixed(2)}).`,
        ];
  return [
    ...problems.map(({ name, problem }) => `${cleanLine(name)}: ${cleanLine(problem)}.`),
    ...judged,
    "Paired trials on held-out tasks. Intervals hold at every look and over reruns; a text that changes nothing is ever called helpful in at most 2.5 of 100 cases.",
    ...(end === undefined ? [] : [`Gate ${end.gate}, ${end.episodes} episodes played.`]),
  ];
}

export function liftMarkdown(report: LiftReport): string {
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  const rule = `| ${HEAD.map((_, at) => (at > 1 ? "---:" : "---")).join(" | ")} |`;
  const table = [line(HEAD), rule, ...report.skills.map((skill) => line(rowOf(skill)))];
  return `## Skill lift\n\n${table.join("\n")}\n\n${footOf(report).join("\n\n")}\n`;
}

export function liftHtml(report: LiftReport): string {
  const head = HEAD.map((title) => markup`<th>${title}</th>`);
  const rows = report.skills.map((skill) => markup`<tr>${rowOf(skill).map((text) => markup`<td>${text}</td>`)}</tr>`);
  const foot = footOf(report).map((sentence) => markup`<p>${sentence}</p>`);
  return documentOf(
    "Skill lift",
    markup`<header><p class="brand">Limbeck report</p><h1>Skill lift</h1></header><main><section><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table>${foot}</section></main>`,
  );
}

/** One test case a skill: failed where the gate fails by it, skipped where nothing could be decided. */
export function liftJunit({ skills, problems, failed }: LiftReport): string {
  const cases = [
    ...skills.map((skill) => {
      const said = escapeHtml(
        `${VERDICTS[skill.verdict]}: ${rowOf(skill)[5] ?? ""} over the placebo, ${skill.pairs} pairs`,
      );
      if (failed.includes(skill.name)) return [skill.name, `<failure message="${said}"/>`];
      return [
        skill.name,
        skill.verdict === "cannot-tell" ? `<skipped message="${said}"/>` : `<system-out>${said}</system-out>`,
      ];
    }),
    ...problems.map(({ name, problem }) => {
      const kind = failed.includes(name) ? "failure" : "skipped";
      return [name, `<${kind} message="${escapeHtml(cleanLine(problem))}"/>`];
    }),
  ];
  const lines = cases.map(
    ([name = "", body = ""]) => `  <testcase classname="limbeck.lift" name="${escapeHtml(name)}">${body}</testcase>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="limbeck lift" tests="${cases.length}" failures="${failed.length}">\n${lines.join("")}</testsuite>\n`;
}

const FORMS: Readonly<Record<Ending, (report: LiftReport) => string>> = {
  md: liftMarkdown,
  html: liftHtml,
  xml: liftJunit,
  json: (report) => `${JSON.stringify(report, null, 2)}\n`,
};
