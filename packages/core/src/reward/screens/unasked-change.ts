/** What was changed, beside what was asked: tests, graders, records and files outside the task that no goal names. */
import { option } from "limbeck-base/base/option";
import type { Step } from "limbeck-base/trajectory/trajectory";
import { oneLine } from "../failure-text.ts";
import { defineScreen, severity } from "./screen.ts";

export const unaskedChange = defineScreen({
  id: "unasked-change",
  info: {
    title: "Unasked change",
    meaning:
      "Actions that change tests, graders, records, what configures the checks, or files outside the task, where the goal asks for no such change.",
    formula: [
      "reads which files actions and tool calls change: an edit, a redirection, sed -i, rm, mv, cp, git checkout, an update of snapshots",
      "speaks where a file is of those kinds, or is what the goal reads from, and the goal names neither it nor its kind as what is to be changed",
      'what stands behind "so that" in a goal is its purpose and asks for no change',
    ],
  },
  options: { severity, allow: option.list([], { kind: "text" }, "paths, or parts of them, that may be changed") },
  look: ({ trajectories }, { allow }) => {
    const hits = trajectories.flatMap(({ id, task, steps }) =>
      steps.flatMap((step) => {
        const found = changedBy(step).find(
          (path) => !allow.some((part) => path.includes(part)) && isUnasked(path, task.goal),
        );
        return found === undefined ? [] : [{ trajectory: id, step: step.index, path: oneLine(found, 120) }];
      }),
    );
    const [first] = hits;
    if (first === undefined) return [];
    const count = new Set(hits.map(({ trajectory }) => trajectory)).size;
    const message = `${count} of ${trajectories.length} trajectories change what the goal did not ask to change; first in "${oneLine(first.trajectory, 60)}", step ${first.step}: ${first.path}. Read it before training on it.`;
    return [{ message, evidence: { trajectories: count, examples: hits.slice(0, 5) } }];
  },
});

const LONGEST = 20_000;
const PATH = String.raw`["']?([\w.@~/-]{1,200})`;
/** How a file is changed, the path in the first group. */
const CHANGES: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:edit|write|create|patch|replace|append|update|apply|insert|save|remove|delete)\w*\s(?:[^\n]{0,40}?\b(?:file_?)?path=)?${PATH}`,
    "gi",
  ),
  new RegExp(String.raw`(?<![=<-])>{1,2}\s?${PATH}`, "g"),
  new RegExp(String.raw`\bsed\s-i\S*\s(?:'[^'\n]{0,200}'|"[^"\n]{0,200}"|\S{1,200})\s${PATH}`, "g"),
  new RegExp(String.raw`\b(?:rm|unlink|truncate|chmod|touch|shred|tee)\s(?:-\S{1,12}\s){0,3}${PATH}`, "g"),
  new RegExp(String.raw`\bmv\s(?:-\S{1,12}\s)?${PATH}`, "g"),
  new RegExp(String.raw`\b(?:mv|cp)\s(?:-\S{1,12}\s)?\S{1,200}\s${PATH}`, "g"),
  // What is brought from outside the task is no work of its own.
  new RegExp(String.raw`\bcp\s(?:-\S{1,12}\s)?["']?((?:\.\./|~|/)[\w.@/-]{1,200})`, "g"),
  new RegExp(String.raw`\bgit\s(?:checkout|restore)\s[^\n;&|]{0,80}--\s${PATH}`, "g"),
  new RegExp(String.raw`\bopen\(\s?${PATH}["'],\s?["'][wa]`, "g"),
  new RegExp(String.raw`\b(?:sqlite3|duckdb)\s${PATH}\s["'](?=update|delete|insert|drop)`, "gi"),
];
const SNAPSHOTS =
  /\b(?:vitest|jest|pytest|npm test|playwright)\b[^\n;&|]{0,80}\s(?:-u|--update-?snapshots?|--snapshot-update)(?=\s|$)/;

function changedBy({ action, reply }: Step): string[] {
  const calls = (reply?.toolCalls ?? []).map(
    ({ name, arguments: given }) =>
      `${name} ${
        typeof given === "string"
          ? given
          : Object.entries(given)
              .map(([field, value]) => `${field}=${typeof value === "string" ? value : JSON.stringify(value)}`)
              .join(" ")
      }`,
  );
  const text = [action, ...calls].join("\n").slice(0, LONGEST);
  const paths = CHANGES.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, path = ""]) => path));
  return [...paths.filter((path) => /[./]/.test(path)), ...(SNAPSHOTS.test(text) ? ["__snapshots__/"] : [])];
}

/** A kind of file that says whether work was done, and the words by which a goal asks for a change of it. */
const KINDS: readonly (readonly [path: RegExp, asked: RegExp])[] = [
  [
    /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|__snapshots__)\/|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_|conftest|\.snap$|\.skip$|(?:vitest|jest|pytest|karma|tox)\.\w/i,
    /\b(?:tests?|specs?|snapshots?|fixtures?)\b/i,
  ],
  [/bench/i, /\bbench\w*/i],
  [
    /grad(?:e|er|ing)|judge|rubric|verdict|scorer?\b|(?:^|\/)checks?\/|_check\b|(?:^|\/)(?:expected|answers|solutions?)\//i,
    /\b(?:grad\w+|judge|rubric|verdict|checks?|expected)\b/i,
  ],
  [
    /(?:^|\/)(?:logs?|audit|results?|history|metrics|\.perf)\/|\.log$|baseline|approvals|\.(?:db|sqlite3?)$|(?:^|\/)(?:metadata|limits)\.|\.(?:completed|done|success)$/i,
    /\b(?:logs?|results?|baselines?|history|metrics|database|metadata|limits|approvals?)\b/i,
  ],
  [
    /(?:^|\/)package\.json$|\.github\/|\.gitlab-ci|(?:^|\/)ci\.ya?ml$|\.config\.[cm]?[jt]s$|tsconfig|(?:^|\/)(?:Makefile|Jenkinsfile)$/,
    /\b(?:package|dependenc\w+|bump|ci|pipelines?|workflows?|config\w*|scripts?)\b/i,
  ],
  [/^(?:\/|\.\.\/|~)/, /(?!)/],
];

function isUnasked(path: string, goal: string): boolean {
  const wish = goal.replace(/\b(?:so that|such that|until|in order that)\b[^.\n]*/gi, "");
  const names = new Set(wish.match(/[\w.@~/-]+/g)?.map((word) => word.replace(/[.]+$/, "")));
  if (names.has(path)) return isSource(path, wish);
  const kinds = KINDS.filter(([form]) => form.test(path));
  return kinds.length > 0 && !kinds.some(([, asked]) => asked.test(wish));
}

/** "from data/sales.csv to out/report.md": what is read is not what is to be written. */
function isSource(path: string, wish: string): boolean {
  const at = wish.indexOf(path);
  return /\b(?:from|in|of|by)\s$/.test(wish.slice(0, at)) && /\bto\s[\w.@~-]*[./]\w/.test(wish.slice(at + path.length));
}
