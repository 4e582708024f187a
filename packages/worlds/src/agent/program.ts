/** One run of an agent's program: it is started for a task, asks for words, and ends. */
import { spawn, type ChildProcess } from "node:child_process";
import { rm, cp, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { z } from "zod";
import { EngineError, errorData } from "limbeck-base/base/errors";
import { parseJson } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { plainText } from "limbeck-base/base/plain-file";
import { hasForm, saysWhatIsRight, type Expected } from "limbeck-core/eval/lift/expected";
import { plainAnswer, type TasksBySplit } from "limbeck-core/env/task-file";
import type { Desk } from "./desk.ts";
import type { ChatQuestion } from "./question.ts";
import { placeTests, repositoryOf, checkOut, type RepositoryState } from "./repository.ts";

export interface AgentWorldOptions {
  /** Started without a shell. */
  readonly command: string;
  /** {goal} (also called {prompt}), {task} and {seed} become those of the task. */
  readonly args: readonly string[];
  /** By split. */
  readonly tasks: TasksBySplit;
  /** Copied for every episode, which works in the copy. Default: an empty folder. */
  readonly folder?: string | undefined;
  /** Every episode works in this folder itself, in the place of a copy. */
  readonly cwd?: string | undefined;
  /** Whether the goal is given on standard input where no argument holds it. Default: yes. */
  readonly input?: boolean;
  /** Says in the end how it went. Default: `check`, the file of the outcome, the answer, or the exit code. */
  readonly judge?: AgentJudge | undefined;
  /** A program that judges in the end, in the same folder, by its exit code: its name and arguments. */
  readonly check?: readonly string[];
  /** Whether a task may name the program that judges it, before `check`. Default: no; a file of tasks may come from anywhere. */
  readonly taskChecks?: boolean;
  /** A program that makes a folder ready before the agent starts: its name and arguments. */
  readonly prepare?: readonly string[];
  /** Default: 30. */
  readonly maxSteps?: number;
  /** Time until the next question or the end. Default: 60 s. */
  readonly timeoutMs?: number;
}

/** The same without tasks of its own. */
export type AgentProgramOptions = Omit<AgentWorldOptions, "tasks" | "maxSteps">;
export type ProgramOptions = Required<AgentProgramOptions>;

/** A program that has ended, for its judge. */
export interface EndedAgent {
  readonly task: Task;
  readonly exitCode: number;
  /** The last of what it printed: 64 K characters at most. */
  readonly output: string;
  /** Where it worked; a copy is gone afterwards. */
  readonly folder: string;
}

/** Success, or success with a reward; null where it is unknown. */
export type AgentJudge = (ended: EndedAgent) => AgentOutcome | boolean | null | Promise<AgentOutcome | boolean | null>;

export interface AgentOutcome {
  readonly success?: boolean | null | undefined;
  /** Default: 1 for a success, 0 otherwise. */
  readonly reward?: number | undefined;
}

/** How a run ended. */
export interface ProgramEnd {
  readonly success: boolean | null;
  readonly reward: number;
  /** What it rests on, in a word. */
  readonly by: "judge" | "check" | "file" | "answer" | "exit code";
  readonly exitCode: number;
  /** The end of what the program printed. */
  readonly printed: string;
  /** Why the outcome is unknown, where it is. */
  readonly why?: string;
  /** US dollars, where the file of the outcome says so. */
  readonly costUsd?: number;
}

export type Next =
  | { readonly kind: "question"; readonly question: ChatQuestion }
  | { readonly kind: "end"; readonly verdict: ProgramEnd };

const KEPT_CHARACTERS = 64 * 1024;
const SHOWN_CHARACTERS = 2_000;
const outcomeSchema = z.object({ success: z.boolean().nullish(), reward: z.number().optional() });
const costSchema = z.object({ costUsd: z.number().min(0) });

interface Inbox {
  readonly questions: ChatQuestion[];
  wake: () => void;
}

export class Program {
  readonly #task: Task;
  readonly #options: ProgramOptions;
  /** A folder of this run alone. */
  readonly #own: string;
  readonly #cwd: string;
  readonly #repository: RepositoryState | undefined;
  readonly #child: ChildProcess;
  readonly #closePath: () => Promise<void>;
  readonly #inbox: Inbox;
  readonly #ended: Promise<number | string>;
  #output = "";
  #complaint = "";

  /** Without a desk the program asks the model that it has. */
  static async start(desk: Desk | undefined, task: Task, options: ProgramOptions): Promise<Program> {
    const own = await makeFolder(task, options);
    const inbox: Inbox = { questions: [], wake: () => undefined };
    const path = await desk?.open((question) => {
      inbox.questions.push(question);
      inbox.wake();
    });
    return new Program(task, options, own, path, inbox);
  }

  private constructor(
    task: Task,
    options: ProgramOptions,
    own: string,
    path: { readonly url: string; close(): Promise<void> } | undefined,
    inbox: Inbox,
  ) {
    this.#task = task;
    this.#options = options;
    this.#own = own;
    this.#repository = repositoryOf(task);
    this.#cwd = this.#repository === undefined ? (options.cwd ?? own) : own;
    this.#closePath = async () => await path?.close();
    this.#inbox = inbox;
    const filled = options.args.map((word) => fill(word, task));
    this.#child = spawn(options.command, filled, {
      cwd: this.#cwd,
      // A group of its own, so that what it starts ends with it.
      detached: process.platform !== "win32",
      env: {
        ...process.env,
        ...(path === undefined ? {} : modelAt(path.url)),
        LIMBECK_TASK: task.id,
        LIMBECK_GOAL: task.goal,
        LIMBECK_SEED: String(task.seed ?? 0),
        LIMBECK_OUTCOME: this.#outcomeFile,
      },
    });
    const gather = (text: string, chunk: Buffer): string => (text + chunk.toString()).slice(-KEPT_CHARACTERS);
    this.#child.stdout?.on("data", (chunk: Buffer) => (this.#output = gather(this.#output, chunk)));
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.#complaint = gather(this.#complaint, chunk)));
    // A program that does not read its input is no fault.
    this.#child.stdin?.on("error", () => undefined);
    const isTold = !options.input || options.args.some((word) => /\{(goal|prompt)\}/.test(word));
    this.#child.stdin?.end(isTold ? "" : `${task.goal}\n`);
    this.#ended = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve(error.message));
      this.#child.once("close", (code, signal) => resolve(code ?? signal ?? "an unknown end"));
    });
    void this.#ended.then(() => this.#inbox.wake());
  }

  /** The next question, or the end; rejects where neither comes in time. */
  async next(signal?: AbortSignal): Promise<Next> {
    const question = await this.#question(signal);
    if (question !== undefined) return { kind: "question", question };
    const end = await this.#ended;
    if (typeof end === "string") throw this.#lost(`could not be run: ${end}`);
    return { kind: "end", verdict: await this.#verdict(end) };
  }

  async close(): Promise<void> {
    const { pid } = this.#child;
    if (pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null) {
      try {
        process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
      } catch {
        // It ended in between.
      }
    }
    await this.#closePath();
    await this.#ended;
    await rm(this.#own, { recursive: true, force: true });
  }

  get #outcomeFile(): string {
    // Beside the repository's files it would be one of them.
    return this.#repository === undefined
      ? join(this.#own, ".limbeck-outcome.json")
      : join(this.#own, ".git", "limbeck-outcome.json");
  }

  /** Undefined at the end. */
  async #question(signal: AbortSignal | undefined): Promise<ChatQuestion | undefined> {
    const waiting = this.#inbox.questions.shift();
    if (waiting !== undefined) return waiting;
    let timer: NodeJS.Timeout | undefined;
    let stop: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#inbox.wake = resolve;
        if (this.#child.exitCode !== null || this.#child.signalCode !== null) void this.#ended.then(() => resolve());
        const late = `neither asked nor ended within ${this.#options.timeoutMs} ms`;
        timer = setTimeout(() => reject(this.#lost(late)), this.#options.timeoutMs);
        stop = () => reject(new EngineError("cancelled", "The step was cancelled.", { cause: signal?.reason }));
        signal?.addEventListener("abort", stop, { once: true });
      });
    } finally {
      clearTimeout(timer);
      if (stop !== undefined) signal?.removeEventListener("abort", stop);
      this.#inbox.wake = () => undefined;
    }
    return this.#inbox.questions.shift();
  }

  async #verdict(exitCode: number): Promise<ProgramEnd> {
    // A program need not tell its outcome; then its exit code does.
    const told = await plainText(this.#outcomeFile).catch(() => undefined);
    const cost = costSchema.safeParse(told === undefined ? undefined : parseJson(told));
    const graded = (by: ProgramEnd["by"], { success = null, reward }: AgentOutcome): ProgramEnd => ({
      success,
      reward: reward ?? (success === true ? 1 : 0),
      by,
      exitCode,
      printed: this.#output.slice(-SHOWN_CHARACTERS),
      ...(cost.success ? cost.data : {}),
    });
    const { judge } = this.#options;
    const check = this.#checkWords;
    if (this.#repository !== undefined) await placeTests(this.#repository, this.#cwd);
    if (judge !== undefined) return graded("judge", await this.#ask(judge, exitCode));
    const [program, ...words] = check;
    if (program !== undefined) return graded("check", { success: (await this.#check(program, words)) === 0 });
    if (told !== undefined) return graded("file", this.#outcome(parseJson(told), "wrote an outcome that is none"));
    const { answer, ...form }: Expected = this.#task.data ?? {};
    if (saysWhatIsRight({ answer, ...form })) {
      const isIt = answer === undefined || plainAnswer(lastLine(this.#output)) === plainAnswer(answer);
      return graded("answer", { success: isIt && hasForm(form, this.#output) });
    }
    const { command, args } = this.#options;
    const isWaiting = this.#inbox.questions.length > 0;
    const { success, why } = exitOutcome({
      exitCode,
      command,
      args,
      isWaiting,
      output: this.#output,
      complaint: this.#complaint,
    });
    return { ...graded("exit code", { success }), ...(why === undefined ? {} : { why }) };
  }

  #outcome(value: unknown, fault: string): AgentOutcome {
    const parsed = outcomeSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw this.#lost(`${fault}: ${z.prettifyError(parsed.error)}`);
  }

  async #ask(judge: AgentJudge, exitCode: number): Promise<AgentOutcome> {
    const ended = { task: this.#task, exitCode, output: this.#output, folder: this.#cwd };
    const said = await Promise.resolve(judge(ended)).catch((cause: unknown) => {
      throw this.#lost(`could not be judged: ${errorData(cause).message}`);
    });
    if (said === null || typeof said === "boolean") return { success: said };
    return this.#outcome(said, "was given an outcome that is none");
  }

  get #checkWords(): readonly string[] {
    const own = this.#task.data?.["check"];
    return this.#options.taskChecks && Array.isArray(own) ? own.map(String) : this.#options.check;
  }

  async #check(program: string, words: readonly string[]): Promise<number> {
    const filled = words.map((word) => fill(word, this.#task));
    const child = spawn(program, filled, { cwd: this.#cwd, stdio: "ignore", timeout: this.#options.timeoutMs });
    return await new Promise<number>((resolve, reject) => {
      child.once("error", (error) => reject(this.#lost(`could not be judged by "${program}": ${error.message}`)));
      child.once("close", (code) =>
        code === null
          ? reject(this.#lost(`was not judged by "${program}" within ${this.#options.timeoutMs} ms`))
          : resolve(code),
      );
    });
  }

  #lost(how: string): EngineError {
    const complaint = this.#complaint.trim().split("\n").slice(-3).join(" ").slice(-300);
    const heard = complaint === "" ? "" : ` It said: ${complaint.replaceAll(/\p{Cc}/gu, "\uFFFD")}`;
    return new EngineError("env-lost", `The agent "${this.#options.command}" ${how}.${heard}`);
  }
}

function modelAt(url: string): NodeJS.ProcessEnv {
  return {
    OPENAI_BASE_URL: url,
    OPENAI_API_BASE: url,
    OPENAI_API_KEY: "limbeck",
    // OpenAI's own SDK for agents sends traces home, and has no key for that here.
    OPENAI_AGENTS_DISABLE_TRACING: "1",
  };
}

function fill(word: string, task: Task): string {
  const { goal, id, seed } = task;
  const values: Readonly<Record<string, string>> = { goal, prompt: goal, task: id, seed: String(seed) };
  return word.replaceAll(/\{(goal|prompt|task|seed)\}/g, (_, name: string) => values[name] ?? "");
}

// The folder of one run: a state of a repository, a copy, or nothing; made ready before the agent starts.

type FolderOptions = Pick<ProgramOptions, "folder" | "prepare" | "timeoutMs">;

async function makeFolder(task: Task, options: FolderOptions): Promise<string> {
  const own = await mkdtemp(join(tmpdir(), "limbeck-agent-"));
  try {
    const repository = repositoryOf(task);
    if (repository !== undefined) await checkOut(repository, own);
    else if (options.folder !== undefined) await cp(options.folder, own, { recursive: true });
    if (options.prepare.length > 0) await prepare(options, own);
    return own;
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    throw error;
  }
}

async function prepare({ prepare: [program = "", ...words], timeoutMs }: FolderOptions, cwd: string): Promise<void> {
  const child = spawn(program, words, { cwd, stdio: "ignore", timeout: timeoutMs });
  const end = await new Promise<string | number>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(code ?? signal ?? "an unknown end"));
  });
  if (end === 0) return;
  throw new EngineError("env-lost", `"${program}" could not make the folder ready for the agent: ${end}.`);
}

// What an exit code says of a run without a judge. Anything but 0 is a failure. 0 says that the program came to its end, which
// most programs say whatever came of it: it is a success only where nothing speaks against it, and nothing is known otherwise.

export interface ExitFacts {
  readonly exitCode: number;
  readonly command: string;
  readonly args: readonly string[];
  /** What it printed, and what it complained of. */
  readonly output: string;
  readonly complaint: string;
  /** It ended while a question of its own was open. */
  readonly isWaiting: boolean;
}

interface ExitOutcome {
  readonly success: boolean | null;
  /** Why nothing is known. */
  readonly why?: string;
}

const SHELL = /(?:^|[/\\])(?:a|ba|da|fi|k|z)?sh(?:\.exe)?$/;
/** What parts commands whose exit codes are lost: all but the last, or all but one of a pipe. */
const SEVERAL = /[|;\n]|(?<!&)&(?!&)/;
const NOTHING_WRONG = /\b(?:0|no|without|zero)\s+(?:errors?|exceptions?|fail(?:ed|ures?)?)\b/gi;
const WRONG =
  /\b(?:error|exception|traceback|failed|failure|fail|fatal|aborted|unable to|could(?: not|n't)|cannot|can't|gave up|giving up)\b|["'](?:success|ok|passed|solved)["']\s*:\s*false/i;

export function exitOutcome({ exitCode, command, args, output, complaint, isWaiting }: ExitFacts): ExitOutcome {
  if (exitCode !== 0) return { success: false };
  const unknown = (why: string): ExitOutcome => ({ success: null, why: `exit code 0, but ${why}` });
  if (isWaiting) return unknown("it ended before its last question was answered");
  const script = SHELL.test(command)
    ? args.find((word, at) => /^-\w*c\w*$/.test(args[at - 1] ?? "") && word !== "")
    : "";
  if (script !== undefined && SEVERAL.test(script) && !script.includes("pipefail"))
    return unknown("it is the shell's, of the last of several commands");
  const said = [output, complaint].map(lastLine).find((line) => WRONG.test(line.replaceAll(NOTHING_WRONG, "")));
  return said === undefined ? { success: true } : unknown(`its last words are ${JSON.stringify(said.slice(0, 120))}`);
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}
