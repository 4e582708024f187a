/** `limbeck templates`: whether a model's chat template lets a conversation grow without drift. */
import { resolve } from "node:path";
import { input } from "limbeck-base/base/input";
import type { Drift, Handling, ScenarioResult } from "limbeck-policy/policy/local/template-check/check";
import type { Invocation } from "../command.ts";
import { commandGroup, defineCommand } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { plural } from "limbeck-base/base/units";

const MARKS = { appends: "✓", drifts: "≠", "leaves-out": "○", refused: "–" } as const;

const DOES: Readonly<Record<Handling, string>> = {
  append: "one conversation of exact tokens (--prompts append): what was read and said is never rendered again",
  rebuilt: "a prompt for every step (--prompts rebuilt), because the template rewrites earlier answers",
  none: "nothing: agents cannot speak through this template",
};

const check = defineCommand({
  group: "look",
  summary: "try the template of a folder",
  input: {
    folder: input.path("DIR", "Folder of the template", { at: 0, required: true }),
    strict: input.flag("Exit code 4 for any drift, also where Limbeck handles it"),
  },
  examples: [],
  line: {
    scenario: "name of a chat that was tried",
    about: "what is in it",
    state: "appends, drifts, leaves-out (appends, but the model would not see a part), or refused (by the template)",
    drift:
      "where it drifts: message, token (counted from the beginning), cause (history: other text; tokens: the same text cut otherwise), before, saw, shown; null elsewhere",
    missing: "the part that is left out; null elsewhere",
    error: "code and message of what the template said, where it refused; null elsewhere",
    appends: "last line: chats that grow by appending",
    drifts: "last line: chats that drift",
    leavesOut: "last line: chats that append but lose a part",
    refused: "last line: chats that the template refuses",
    handling: "last line: what Limbeck does: append (exact tokens), rebuilt (a prompt for each step), or none",
    thinkingOff: "last line: the same with thinking switched off; null where the template has no switch",
    system: "last line: whether the template shows a system message",
    reason: "last line: why appending does not work, code and message; null where it does",
    ok: "last line: whether the exit code is 0",
  },
  run: async ({ folder, strict }, frame) => {
    const { checkTemplate } = await import("limbeck-policy/policy/local/template-check/bounded");
    const { emit, print } = frame;
    const report = await checkTemplate(resolve(frame.cwd, folder), {
      signal: frame.signal,
      onResult: (result) => {
        const { scenario, about, state, ...rest } = result;
        emit({ scenario, about, state, drift: null, missing: null, error: null, ...rest });
        printResult(frame, result);
      },
    });
    const { results, handling, thinkingOff, system, reason } = report;
    const count = (state: ScenarioResult["state"]): number => results.filter((one) => one.state === state).length;
    const [appends, drifts, refused] = [count("appends"), count("drifts"), count("refused")];
    const leavesOut = count("leaves-out");
    const ok = handling !== "none" && !(strict && drifts > 0);
    emit({ appends, drifts, leavesOut, refused, handling, thinkingOff, system, reason, ok });
    const chats = plural(appends + leavesOut + drifts, "chat");
    print();
    if (drifts === 0) print(`Append-only: none of ${chats} drifts.`);
    else print(`Drifts in ${drifts} of ${chats} where the chat is rendered anew.`);
    print(`What Limbeck does: ${DOES[handling]}.`);
    if (thinkingOff !== null && thinkingOff !== handling) print(`With thinking switched off: ${DOES[thinkingOff]}.`);
    if (!system) print("System messages are not shown by this template; put such words into the first question.");
    if (reason !== null) print(`    ${reason.code}: ${cleanLine(reason.message)}`);
    return ok ? EXIT.done : EXIT.gate;
  },
});

export const templates = commandGroup(
  "templates",
  { check },
  {
    group: "look",
    summary: "Check a model's chat template: does a conversation grow by appending, and where would tokens drift",
    description:
      "DIR is a folder with tokenizer.json and a chat template (chat_template.jinja, or in tokenizer_config.json), or a GGUF file; weights are not needed. Chats with system messages, empty turns, thinking and tool calls are written by the template turn by turn. Each time, what the model had read and said is compared with the prompt that the template makes of the same chat later. The first token that differs is shown with the text around it.\n" +
      "Frameworks that render the whole chat anew for every turn train on other tokens than the model saw wherever this says drifts. Limbeck does not: with prompts that append, what was read and said stays as tokens; where the template rewrites even plain answers, --prompts rebuilt gives every step a prompt of its own. The last line says which of the two works with this template, tried with the very code that agents use.\n" +
      "The exit code is 0 when nothing drifts or Limbeck handles it, and 4 when neither way works: the template refuses plain chats, does not end answers with a special token, or does not come to an end. --strict also gives 4 for any drift: a gate for continuous integration where another framework renders the chat. The template runs in a process of its own, for 20 seconds and with 2 GiB at most.",
    examples: [
      "limbeck templates check models/qwen3",
      "limbeck templates check models/qwen3 --strict",
      "limbeck templates check models/qwen3 --json",
    ],
  },
);

function printResult({ print, style }: Invocation, result: ScenarioResult): void {
  print(`${MARKS[result.state]} ${result.scenario.padEnd(15)} ${style.dim(result.about)}`);
  if (result.state === "leaves-out") print(`    the model would not see "${cleanLine(result.missing)}"`);
  if (result.state === "refused") print(`    refused: ${cleanLine(result.error.message)}`);
  if (result.state === "drifts") for (const line of driftLines(result.drift)) print(`    ${line}`);
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
