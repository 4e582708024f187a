/**
 * What code of a user's file must not do to the process of a command: end it, write between the lines of its result, or
 * break it from a timer. Called by the program that owns the process, once it has loaded a file.
 */
import { EngineError } from "../errors.ts";
import { pathToFileURL } from "node:url";
import { isOwnFile } from "../own-place.ts";
import { asPartError } from "./contain.ts";
import { keptFiles } from "./part.ts";

export interface HeldProcess {
  /** Rejects when a file breaks out of its calls: an error in a timer, a promise that is not awaited. Never resolves. */
  readonly broken: Promise<never>;
  release(): void;
}

const FRAMES = 60;

export function holdProcess(): HeldProcess {
  const exit = process.exit.bind(process);
  const node = process as typeof process & { reallyExit(code?: number): never };
  const reallyExit = node.reallyExit.bind(process);
  const write = process.stdout.write.bind(process.stdout);
  /** Each way to end the process at once, by its name. */
  const held = <Code>(name: string, leave: (code?: Code) => never) =>
    function guard(code?: Code): never {
      const file = callingFile(new Error("a stack"));
      if (file === undefined) return leave(code);
      throw new EngineError(
        "part-exits",
        `"${file}" called process.${name}(${String(code ?? "")}). A part must not end the process: throw an error instead.`,
        { details: { file } },
      );
    };
  // Lines of a file go where remarks go: standard output belongs to the result.
  const say = (...given: Parameters<typeof write>): boolean =>
    callingFile(new Error("a stack")) === undefined ? write(...given) : process.stderr.write(...given);
  let fail: (error: unknown) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Code that awaits it gets the error; without one it is no unhandled rejection.
  broken.catch(() => undefined);
  const caught = (error: unknown): void => {
    const file = keptFiles().find((one) => hasFrame(error, one));
    fail(file === undefined ? error : asPartError({ file, name: file, seconds: 0 }, "something it left behind", error));
  };
  process.exit = held("exit", exit);
  node.reallyExit = held("reallyExit", reallyExit);
  process.stdout.write = say as typeof write;
  process.on("uncaughtException", caught);
  process.on("unhandledRejection", caught);
  return {
    broken,
    release: () => {
      process.exit = exit;
      node.reallyExit = reallyExit;
      process.stdout.write = write;
      process.off("uncaughtException", caught);
      process.off("unhandledRejection", caught);
    },
  };
}

function hasFrame(error: unknown, file: string): boolean {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return stack.includes(pathToFileURL(file).href) || stack.includes(`${file}:`);
}

/** The file whose code called, where the nearest code that is ours or a file's is a file's. */
function callingFile(here: Error): string | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  Error.captureStackTrace(here, callingFile);
  Error.stackTraceLimit = limit;
  const [, , ...frames] = (here.stack ?? "").split("\n");
  const files = keptFiles();
  for (const frame of frames) {
    const file = files.find((one) => frame.includes(pathToFileURL(one).href) || frame.includes(`${one}:`));
    if (file !== undefined) return file;
    if (isOwnFile(frame)) return undefined;
  }
  return undefined;
}
