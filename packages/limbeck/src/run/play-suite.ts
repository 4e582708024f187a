/** A policy is asked a suite, and its report is shown, written and held against a bound. */
import { basename, resolve } from "node:path";
import { EngineError, usageError } from "limbeck-base/base/errors";
import { replaceFile, requireNew } from "limbeck-base/base/files";
import { namesFile, splitName } from "limbeck-base/base/parts/part";
import { openChatAsker } from "limbeck-core/walk/tree/asker";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { GradedEpisode } from "limbeck-testing/suite/item";
import { namedSuite, someOf, suiteNames } from "limbeck-testing/suite/named-suite";
import { openSuite } from "limbeck-testing/suite/places";
import type { SuiteReport } from "limbeck-testing/suite/report";
import { reportText } from "limbeck-testing/suite/report-text";
import { openPython } from "limbeck-testing/suite/run-python";
import { runSuite, type GivenTools } from "limbeck-testing/suite/run-suite";
import { gradersIn, type Suite } from "limbeck-testing/suite/suite";
import { givenAgent } from "./given-parts.ts";
import type { SuiteContext, SuiteInputs } from "./suite.inputs.ts";

const JUDGE_TOKENS = 1_024;

/** Whether accuracy is at least what was asked for. */
export async function playSuite(given: SuiteInputs, context: SuiteContext): Promise<boolean> {
  const { suite: name, samples, out, least, concurrency } = given;
  const who = given.policy ?? given.model;
  if (name === undefined) return listed(context);
  if (who === undefined)
    throw usageError('"limbeck suite" needs --policy: a model folder, bundled, chat, perfect, empty, random.');
  if (out !== undefined) await requireNew(resolve(context.cwd, out), out, "another --out");
  const { suite: whole, data, scripts } = await namedSuite(name, given.data, context.cwd);
  const suite = someOf(whole, given.tasks);
  const { tools, close } = await openTools(suite, given, context);
  const started = context.now();
  try {
    const allowed = { commands: given.allowCommands, addresses: given.allowAddresses };
    const places = await openSuite(suite, { data, scripts, allowed, need: context.need });
    const total = places.reduce((count, { items }) => count + items.length * samples, 0);
    const bar = context.progress({ label: `Asking ${who}`, total });
    const { report, episodes } = await runSuite({
      suite,
      places,
      // A file by its name alone, so that the report is the same wherever it lies.
      name: namesFile(who) ? basename(splitName(who).file) : who,
      samples,
      tools,
      concurrency,
      signal: context.signal,
      policy: async ({ id: env, demonstrators }) =>
        await givenAgent(who, given, { command: "suite", world: { demonstrators }, env }, context),
      onProgress: (done) => bar.update(done),
    }).finally(() => bar.end());
    for (const episode of episodes) context.emit(gradedLine(episode));
    const text = reportText(report);
    context.emit({ ...report });
    context.show.report(text, report);
    if (out !== undefined) {
      const form = out.endsWith(".json") ? `${JSON.stringify(report, null, 2)}\n` : text;
      await replaceFile(resolve(context.cwd, out), form);
    }
    requireFigure(report);
    const ok = least === undefined || (report.accuracy?.mean ?? 0) >= least;
    const milliseconds = context.now() - started;
    context.emit({ event: "end", seconds: milliseconds / 1_000, ok });
    context.show.end({ milliseconds, out, ok });
    return ok;
  } finally {
    await close();
  }
}

function gradedLine({ item, score, parts }: GradedEpisode) {
  const lost = score.kind === "unscored" ? { score: score.why } : {};
  const found = Object.entries(parts).flatMap(([name, { why }]) =>
    why === undefined || why === "" ? [] : [[name, why]],
  );
  const why = { ...lost, ...(Object.fromEntries(found) as Readonly<Record<string, string>>) };
  return { event: "graded" as const, id: item.id, score: scoreValue(score) ?? null, why };
}

function listed({ emit, show }: SuiteContext): true {
  const suites = suiteNames();
  for (const { id, meaning, from } of suites) emit({ event: "listed", id, meaning, from: from ?? null });
  show.list(suites);
  return true;
}

/** What graders need that reaches further than the suite. */
async function openTools(
  suite: Suite,
  { runCode, python, judge }: SuiteInputs,
  { environment, signal }: SuiteContext,
): Promise<{ readonly tools: GivenTools; readonly close: () => Promise<void> }> {
  const used = gradersIn(suite);
  if (used.has("python-tests") && !runCode) {
    throw usageError(
      `The suite ${suite.suite} is judged by running the Python programs that the policy writes, with limits but in no sandbox. If that is what you want on this machine: --run-code.`,
    );
  }
  if (used.has("judge") && !judge) {
    throw usageError(
      `The suite ${suite.suite} has a grader that asks a model. Name one by LIMBECK_CHAT_BASE_URL and LIMBECK_CHAT_MODEL, and give --judge.`,
    );
  }
  const runPython = used.has("python-tests") ? await openPython({ python, signal }) : undefined;
  const opened = used.has("judge") || (judge && used.has("reward")) ? await openChatAsker(environment) : undefined;
  const ask = async (prompt: string): Promise<string> =>
    (await opened?.asker(prompt, { maxTokens: JUDGE_TOKENS, signal, seed: "suite" }))?.text ?? "";
  return {
    tools: { runPython, ask: opened === undefined ? undefined : ask },
    close: async () => await opened?.close(),
  };
}

/** The report has been shown; where too few were scored there is no success to speak of. */
function requireFigure({ accuracy, values, tasks, unscored, episodes, causes }: SuiteReport): void {
  const ofValues = Object.values(values).reduce((count, one) => count + one.tasks, 0);
  if (accuracy !== null || ofValues === tasks) return;
  const [cause = "unknown"] = Object.keys(causes);
  throw new EngineError(
    "nothing-measured",
    `${unscored} of ${episodes} episodes have no score, so that there is no accuracy. The first cause: ${cause}.`,
    { details: { causes } },
  );
}
