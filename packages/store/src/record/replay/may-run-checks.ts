/** The commands of tasks come from sessions and files; nothing of them runs before a person has seen them. */
import { askFirst } from "limbeck-base/base/ask-first";
import { cleanLine } from "limbeck-base/base/clean-text";
import { EngineError } from "limbeck-base/base/errors";
import type { Context } from "limbeck-base/base/operation";

export async function mayRunChecks(
  { yes }: { readonly yes: boolean },
  context: Pick<Context, "ask">,
  tasks: readonly { readonly check?: readonly string[]; readonly repository?: { readonly path: string } }[],
): Promise<void> {
  const lines = new Map<string, number>();
  for (const { check, repository } of tasks) {
    if (check === undefined) continue;
    const line = `${check.join(" ")}${repository === undefined ? "" : `   in a copy of ${repository.path}`}`;
    lines.set(line, (lines.get(line) ?? 0) + 1);
  }
  if (lines.size === 0 || yes) return;
  const shown = [...lines].map(([line, count]) => `  ${String(count).padStart(4)} × ${cleanLine(line)}`);
  const question = `These programs judge the tasks:\n${shown.slice(0, 40).join("\n")}\nRun them? [y/N] `;
  const programs = [...lines.keys()];
  const unasked = `The tasks are judged by programs that their sessions named: ${programs.slice(0, 5).map(cleanLine).join("; ")}. --yes runs them.`;
  if (!(await askFirst(context, question, unasked, { programs })))
    throw new EngineError("needs-yes", unasked, { details: { programs } });
}
