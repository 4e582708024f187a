/** A trajectory as a person reads it: who did what for whom, step by step, and how it ended. */
import { findTrajectory, type FoundTrajectory } from "limbeck-store/store/find-trajectory";
import type { ReadInput } from "limbeck-store/store/read.inputs";
import { trajectoryToJson } from "limbeck-base/trajectory/schema";
import type { Message, Step, ToolCall, Trajectory } from "limbeck-base/trajectory/trajectory";
import { sampledTokens } from "limbeck-base/trajectory/sampled-tokens";
import type { Frame } from "../command-of.ts";
import { cleanLine, cleanLines } from "limbeck-base/base/clean-text";
import type { Style } from "../look/style.ts";
import { padEnd, textWidth, truncate, wrap } from "../look/text-width.ts";
import { formatCount, formatDuration, formatNumber, plural } from "limbeck-base/base/units";
import { readStore } from "../with-store.ts";
import { branchWords, messageText, outcomeMark, outcomeWords, policyWords, rewardWords, scoreWords } from "./words.ts";

export interface ShowOptions {
  readonly style: Style;
  readonly columns: number;
  /** Nothing is clipped. */
  readonly full: boolean;
  readonly tokens: boolean;
}

const CLIPPED_LINES = 6;
const LABEL = 8;

export async function showTrajectory(
  { id, full, tokens, ...read }: Pick<ShowOptions, "full" | "tokens"> & ReadInput & { readonly id: string },
  frame: Frame<object>,
): Promise<void> {
  const { emit, print, style, io } = frame;
  const found = await readStore(read, frame, async (store, scope) => await findTrajectory(store, id, scope));
  emit({ run: found.run, ...trajectoryToJson(found.trajectory), branches: found.branches });
  const columns = io.terminal.out ? io.terminal.columns : 100;
  trajectoryLines(found, { style, columns, full, tokens }).forEach((line) => print(line));
}

export function trajectoryLines(found: FoundTrajectory, options: ShowOptions): string[] {
  const { trajectory } = found;
  return [
    ...headerLines(found, options),
    ...trajectory.steps.flatMap((step) => ["", ...stepLines(found, step, options)]),
    ...closingLines(found, options),
  ];
}

function headerLines({ run, trajectory, branches }: FoundTrajectory, { style, columns }: ShowOptions): string[] {
  const { task, parent } = trajectory;
  const tokens = trajectory.streams.reduce((sum, stream) => sum + stream.ids.length, 0);
  const size = [plural(trajectory.steps.length, "step")];
  const sampled = sampledTokens(trajectory);
  if (sampled !== undefined) size.push(`${plural(sampled, "token")} sampled`);
  if (tokens > 0) size.push(`${formatCount(tokens)} in all`);
  if (trajectory.timing?.durationMs !== undefined) size.push(formatDuration(trajectory.timing.durationMs));
  if (trajectory.usage?.costUsd !== undefined) size.push(`$${trajectory.usage.costUsd.toFixed(4)}`);
  const facts: [string, string][] = [
    ["task", [task.id, task.env, task.split, `seed ${task.seed}`].map(cleanLine).join(" · ")],
    ["goal", cleanLine(task.goal)],
    ["policy", policyWords(trajectory)],
    ["group", cleanLine(trajectory.group)],
    ["size", size.join(" · ")],
  ];
  if (parent !== undefined) {
    const token = parent.token === undefined ? "" : `, after ${plural(parent.token, "token")} of its response`;
    facts.push(["from", `${cleanLine(parent.trajectory)} at step ${parent.step}${token}`]);
  }
  if (branches.length > 0) facts.push(["branches", formatCount(branches.length)]);
  const id = truncate(cleanLine(trajectory.id), columns - 12);
  const title = `${style.bold(id)}  ${style.dim(truncate(`run ${cleanLine(run)}`, columns - textWidth(id) - 2))}`;
  return [
    title,
    ...facts.flatMap(([name, text]) => labelled(style.dim(padEnd(name, LABEL)), wrap(text, columns - LABEL - 1))),
  ];
}

function stepLines(found: FoundTrajectory, step: Step, options: ShowOptions): string[] {
  const { style, columns } = options;
  const remarks: string[] = [];
  if (step.reward.kind === "scored" && step.reward.value !== 0) remarks.push(`reward ${scoreWords(step.reward)}`);
  // Where no step has a score, as in most chats, saying so at each of them would only be noise.
  const someScored = found.trajectory.steps.some(({ reward }) => reward.kind === "scored");
  if (step.reward.kind === "unscored" && someScored) remarks.push(scoreWords(step.reward));
  if (!step.valid) remarks.push("invalid action");
  const lines = [rule(`step ${step.index}`, remarks.join(" · "), options), ...seenLines(step, options)];
  if (step.reply?.reasoning !== undefined)
    lines.push(...textLines(step.reply.reasoning, style.dim("·"), options, style.italic));
  const mark = step.valid ? style.green("❯") : style.red("❯");
  const calls = (step.reply?.toolCalls ?? []).map(callText);
  const spoken = step.action !== "" && step.action !== calls.join("\n");
  if (spoken || calls.length === 0) lines.push(...textLines(step.action, mark, options, style.bold));
  for (const call of calls) lines.push(...textLines(call, style.yellow("⚙"), options));
  if (options.tokens) {
    lines.push(...tokenLines(found.trajectory, step, style, columns - 2).map((line) => `${style.dim("#")} ${line}`));
  }
  const left = found.branches.filter((branch) => branch.step === step.index);
  return [...lines, ...rewardLines(found, step.index, options), ...branchLines(left, "instead", options)];
}

function closingLines(found: FoundTrajectory, options: ShowOptions): string[] {
  const { trajectory, branches } = found;
  const { closing, failure, success, steps, parent } = trajectory;
  const last = (steps.at(-1)?.index ?? (parent?.step ?? 0) - 1) + 1;
  const after = branches.filter((branch) => branch.step >= last);
  const { red } = options.style;
  return [
    "",
    rule("end", trajectory.ending, options),
    ...(closing === undefined ? [] : seenLines(closing, options)),
    ...branchLines(after, "goes on in", options),
    ...rewardLines(found, undefined, options),
    ...(failure === undefined ? [] : textLines(`${failure.code}: ${failure.message}`, red("✗"), options)),
    ...textLines(outcomeWords(trajectory), outcomeMark(success, options.style), options),
  ];
}

function seenLines(
  { messages = [], observation }: Pick<Step, "messages" | "observation">,
  options: ShowOptions,
): string[] {
  if (messages.length > 0) return messages.flatMap((message) => messageLines(message, options));
  return textLines(observation, options.style.dim("│"), options);
}

function rewardLines({ trajectory }: FoundTrajectory, step: number | undefined, options: ShowOptions): string[] {
  const own = trajectory.rewards.filter((reward) => reward.step === step);
  return own.flatMap((reward) => textLines(rewardWords(reward), options.style.cyan("★"), options));
}

function branchLines(branches: FoundTrajectory["branches"], how: string, { style, columns }: ShowOptions): string[] {
  return branches.map(
    (branch) => `${style.blue("⑂")} ${style.blue(truncate(`${how}: ${branchWords(branch)}`, columns - 2))}`,
  );
}

/** A call as a line; importers write the action of a reply that only calls in the same form. */
function callText({ name, arguments: given }: ToolCall): string {
  return `${name}(${typeof given === "string" ? given : JSON.stringify(given)})`;
}

function messageLines(message: Message, options: ShowOptions): string[] {
  const { style } = options;
  const name = message.name ?? message.toolCallId;
  const who = cleanLine(`${message.role}${name === undefined ? "" : ` ${name}`}`);
  const lines = textLines(messageText(message), style.dim("│"), options);
  const calls = (message.toolCalls ?? []).flatMap((call) => textLines(callText(call), style.yellow("⚙"), options));
  return [`${style.dim("│")} ${style.cyan(truncate(who, options.columns - 2))}`, ...lines, ...calls];
}

/** Folded to the width, a mark in front of each line, clipped unless all is wanted. */
function textLines(
  text: string,
  mark: string,
  { style, columns, full }: ShowOptions,
  paint: (line: string) => string = (line) => line,
): string[] {
  // A text of megabytes is cut before it is folded: the rest is not shown.
  const bounded = full ? text : text.slice(0, columns * (CLIPPED_LINES + 1) * 4);
  const folded = cleanLines(bounded).flatMap((line) => wrap(line, columns - 2));
  if (text === "") return [`${mark} ${style.dim("(empty)")}`];
  const clipped = !full && (folded.length > CLIPPED_LINES || bounded.length < text.length);
  const shown = clipped ? folded.slice(0, CLIPPED_LINES) : folded;
  const lines = shown.map((line) => `${mark} ${paint(line)}`.trimEnd());
  if (clipped) lines.push(`${mark} ${style.dim(`… ${plural(text.length, "character")} in all; --full shows them`)}`);
  return lines;
}

function labelled(label: string, [first = "", ...rest]: readonly string[]): string[] {
  return [`${label} ${first}`.trimEnd(), ...rest.map((line) => `${" ".repeat(LABEL)} ${line}`)];
}

/** `── step 3 ───────────── reward 1 ──`, as wide as the terminal, at most 100. */
function rule(title: string, remark: string, { style, columns }: ShowOptions): string {
  const cut = truncate(remark, Math.max(0, columns - textWidth(title) - 10));
  const tail = cut === "" ? "" : ` ${cut} ──`;
  const fill = Math.max(2, Math.min(columns, 100) - textWidth(title) - textWidth(tail) - 4);
  return `${style.dim("──")} ${style.bold(title)} ${style.dim("─".repeat(fill))}${cut === "" ? "" : ` ${style.yellow(cut)} ${style.dim("──")}`}`;
}

/** The exact tokens of a response, compactly: id and log-probability. */
function tokenLines(trajectory: Trajectory, step: Step, style: Style, columns: number): string[] {
  const stream = step.span === undefined ? undefined : trajectory.streams[step.span.stream];
  if (step.span === undefined || stream === undefined) return [style.dim("no tokens recorded")];
  const { start, end } = step.span;
  const ids = [...stream.ids.subarray(start, end)];
  const logprobs = stream.logprobs === undefined ? undefined : [...stream.logprobs.subarray(start, end)];
  const facts = [plural(ids.length, "token")];
  if (logprobs !== undefined && ids.length > 0) {
    facts.push(`mean log-probability ${formatNumber(logprobs.reduce((sum, value) => sum + value, 0) / ids.length)}`);
  }
  const version = distinct(stream.versions?.subarray(start, end));
  if (version !== "") facts.push(`version ${version}`);
  const temperature = distinct(stream.temperatures?.subarray(start, end));
  if (temperature !== "") facts.push(`temperature ${temperature}`);
  const cells = ids.map((id, index) => {
    const value = logprobs?.[index];
    return value === undefined ? String(id) : `${id}:${compact(value)}`;
  });
  return [
    ...wrap(facts.join(" · "), columns).map((line) => style.dim(line)),
    ...gridLines(cells, columns).map((line) => style.magenta(line)),
  ];
}

/** Two decimals; a number so large that it can only be a mistake stays short. */
function compact(value: number): string {
  return Math.abs(value) < 1000 ? value.toFixed(2) : value.toExponential(1);
}

function distinct(values: ArrayLike<number> | undefined): string {
  if (values === undefined) return "";
  return [...new Set(Array.from(values))].map(formatNumber).join("/");
}

/** Cells of one width, as many a line as fit. */
function gridLines(cells: readonly string[], columns: number): string[] {
  const width = Math.max(1, ...cells.map((cell) => cell.length)) + 1;
  const perLine = Math.max(1, Math.floor(columns / width));
  const lines: string[] = [];
  for (let first = 0; first < cells.length; first += perLine) {
    const row = cells.slice(first, first + perLine).map((cell) => padEnd(cell, width));
    lines.push(row.join("").trimEnd());
  }
  return lines;
}
