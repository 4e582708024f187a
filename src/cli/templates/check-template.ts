/** `limbeck templates check`: one line for each chat, then what Limbeck does. */
import { resolve } from "node:path";
import type { Drift, Handling, ScenarioResult } from "../../policy/local/template-check/check.ts";
import { checkTemplate } from "../../policy/local/template-check/bounded.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";

const MARKS = { appends: "✓", drifts: "≠", "leaves-out": "○", refused: "–" } as const;

const DOES: Readonly<Record<Handling, string>> = {
  append: "one conversation of exact tokens (--prompts append): what was read and said is never rendered again",
  rebuilt: "a prompt for every step (--prompts rebuilt), because the template rewrites earlier answers",
  none: "nothing: agents cannot speak through this template",
};

export async function runTemplateCheck(invocation: Invocation): Promise<number> {
  const { io, json, positionals, print, printJson } = invocation;
  const report = await checkTemplate(resolve(io.cwd, positionals[1] as string), {
    signal: io.signal,
    onResult: (result) => (json ? printJson(jsonOf(result)) : say(invocation, result)),
  });
  const { results, handling, thinkingOff, system, reason } = report;
  const count = (state: ScenarioResult["state"]): number => results.filter((one) => one.state === state).length;
  const [appends, drifts, refused] = [count("appends"), count("drifts"), count("refused")];
  const leavesOut = count("leaves-out");
  const ok = handling !== "none" && !(invocation.flag("strict") && drifts > 0);
  if (json) printJson({ appends, drifts, leavesOut, refused, handling, thinkingOff, system, reason, ok });
  else {
    print();
    print(
      drifts === 0
        ? `Append-only: none of ${plural(appends + leavesOut, "chat")} drifts.`
        : `Drifts in ${drifts} of ${plural(appends + leavesOut + drifts, "chat")} where the chat is rendered anew.`,
    );
    print(`What Limbeck does: ${DOES[handling]}.`);
    if (thinkingOff !== null && thinkingOff !== handling) print(`With thinking switched off: ${DOES[thinkingOff]}.`);
    if (!system) print("System messages are not shown by this template; put such words into the first question.");
    if (reason !== null) print(`    ${reason.code}: ${cleanLine(reason.message)}`);
  }
  return ok ? EXIT.done : EXIT.gate;
}

function jsonOf(result: ScenarioResult): object {
  const { scenario, about, state } = result;
  const drift = result.state === "drifts" ? result.drift : null;
  const missing = result.state === "leaves-out" ? result.missing : null;
  return { scenario, about, state, drift, missing, error: result.state === "refused" ? result.error : null };
}

function say({ print, style }: Invocation, result: ScenarioResult): void {
  print(`${MARKS[result.state]} ${result.scenario.padEnd(15)} ${style.dim(result.about)}`);
  if (result.state === "leaves-out") print(`    the model would not see "${cleanLine(result.missing)}"`);
  if (result.state === "refused") print(`    refused: ${cleanLine(result.error.message)}`);
  if (result.state !== "drifts") return;
  for (const line of driftLines(result.drift)) print(`    ${line}`);
}

function driftLines({ message, token, cause, before, saw, shown }: Drift): string[] {
  const why = cause === "history" ? "the template writes other text" : "the same text becomes other tokens";
  return [
    `message ${message}, token ${token}: ${why}`,
    `after  …${cleanLine(before)}`,
    `saw     ${cleanLine(saw)}…`,
    `shown   ${cleanLine(shown)}…`,
  ];
}
