/** One run of an agent's program: it is started for a task, asks for words, and ends. */
import { spawn, type ChildProcess } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { EngineError, parseJson } from "../../base/index.ts";
import type { Task } from "../../trajectory/index.ts";
import { plainAnswer } from "../task-file.ts";
import type { Desk } from "./desk.ts";
import type { ChatQuestion } from "./question.ts";

export interface ProgramOptions {
  readonly command: string;
  /** {goal}, {task} and {seed} become those of the task. */
  readonly args: readonly string[];
  /** Copied for every run, which works in the copy. Default: an empty folder. */
  readonly folder: string | undefined;
  /** A program that judges in the end, in the same folder, by its exit code: its name and arguments. */
  readonly check: readonly string[];
  /** Time until the next question or the end. */
  readonly timeoutMs: number;
}

/** How a run ended. */
export interface Verdict {
  readonly success: boolean | null;
  readonly reward: number;
  /** What it rests on, in a word. */
  readonly by: "check" | "file" | "answer" | "exit code";
}

export type Next =
  | { readonly kind: "question"; readonly question: ChatQuestion }
  | { readonly kind: "end"; readonly verdict: Verdict };

const KEPT_CHARACTERS = 64 * 1024;
const outcomeSchema = z.object({ success: z.boolean().nullish(), reward: z.number().optional() });

interface Inbox {
  readonly questions: ChatQuestion[];
  wake: () => void;
}

export class Program {
  readonly #task: Task;
  readonly #options: ProgramOptions;
  readonly #cwd: string;
  readonly #child: ChildProcess;
  readonly #closePath: () => Promise<void>;
  readonly #inbox: Inbox;
  readonly #ended: Promise<number | string>;
  #output = "";
  #complaint = "";

  static async start(desk: Desk, task: Task, options: ProgramOptions): Promise<Program> {
    const cwd = await mkdtemp(join(tmpdir(), "limbeck-agent-"));
    if (options.folder !== undefined) await cp(options.folder, cwd, { recursive: true });
    const inbox: Inbox = { questions: [], wake: () => undefined };
    const path = await desk.open((question) => {
      inbox.questions.push(question);
      inbox.wake();
    });
    return new Program(task, options, cwd, path, inbox);
  }

  private constructor(
    task: Task,
    options: ProgramOptions,
    cwd: string,
    path: { readonly url: string; close(): Promise<void> },
    inbox: Inbox,
  ) {
    this.#task = task;
    this.#options = options;
    this.#cwd = cwd;
    this.#closePath = () => path.close();
    this.#inbox = inbox;
    const filled = options.args.map((word) => fill(word, task));
    this.#child = spawn(options.command, filled, {
      cwd,
      // A group of its own, so that what it starts ends with it.
      detached: process.platform !== "win32",
      env: {
        ...process.env,
        OPENAI_BASE_URL: path.url,
        OPENAI_API_BASE: path.url,
        OPENAI_API_KEY: "limbeck",
        // OpenAI's own SDK for agents sends traces home, and has no key for that here.
        OPENAI_AGENTS_DISABLE_TRACING: "1",
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
    this.#child.stdin?.end(options.args.some((word) => word.includes("{goal}")) ? "" : `${task.goal}\n`);
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
    await rm(this.#cwd, { recursive: true, force: true });
  }

  get #outcomeFile(): string {
    return join(this.#cwd, ".limbeck-outcome.json");
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

  async #verdict(code: number): Promise<Verdict> {
    const [program, ...words] = this.#options.check;
    if (program !== undefined) return graded("check", (await this.#judge(program, words)) === 0);
    const told = await readFile(this.#outcomeFile, "utf8").catch(() => undefined);
    if (told !== undefined) {
      const parsed = outcomeSchema.safeParse(parseJson(told));
      if (!parsed.success) throw this.#lost(`wrote an outcome that is none: ${z.prettifyError(parsed.error)}`);
      const { success = null, reward } = parsed.data;
      return { success, reward: reward ?? (success === true ? 1 : 0), by: "file" };
    }
    const answer = this.#task.data?.["answer"];
    if (typeof answer === "string")
      return graded("answer", plainAnswer(lastLine(this.#output)) === plainAnswer(answer));
    return graded("exit code", code === 0);
  }

  async #judge(program: string, words: readonly string[]): Promise<number> {
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

function graded(by: Verdict["by"], success: boolean): Verdict {
  return { success, reward: success ? 1 : 0, by };
}

function fill(word: string, task: Task): string {
  const values: Readonly<Record<string, string>> = { goal: task.goal, task: task.id, seed: String(task.seed ?? 0) };
  return word.replaceAll(/\{(goal|task|seed)\}/g, (_, name: string) => values[name] ?? "");
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
