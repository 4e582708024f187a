/** Files that a person names: their text, and the data in them. */
import { resolve } from "node:path";
import type { z } from "zod";
import { EngineError, errorCode, usageError } from "./errors.ts";
import { boundedJson } from "./json.ts";
import { plainText } from "./plain-file.ts";

/** Where the name of a file was typed. */
interface WorkingFolder {
  readonly cwd: string;
}

/** Where a name leads; `need` is the error where none is given. */
export function neededPath({ cwd }: WorkingFolder, given: string | undefined, need: string): string {
  if (given === undefined || given === "") throw usageError(need);
  return resolve(cwd, given);
}

/** `what` is what the file holds: "the plan". */
export async function givenText({ cwd }: WorkingFolder, file: string, what: string): Promise<string> {
  return await plainText(resolve(cwd, file)).catch((cause: unknown) => {
    if (cause instanceof EngineError) throw cause;
    const code = errorCode(cause) === "ENOENT" ? "file-missing" : "file-unreadable";
    const message = `Cannot read ${what} in ${JSON.stringify(file)} (${errorCode(cause) ?? "unknown"}).`;
    throw new EngineError(code, message, { cause });
  });
}

export async function givenJson(place: WorkingFolder, file: string, what: string): Promise<unknown> {
  return jsonIn(await givenText(place, file, what), file);
}

export function jsonIn(text: string, file: string): unknown {
  try {
    return boundedJson(text);
  } catch (cause) {
    throw new EngineError("bad-json", `${JSON.stringify(file)} is not JSON: ${String(cause)}.`, { cause });
  }
}

/** The same, of a known shape; `shape` says it in the error. */
export async function givenData<T>(
  place: WorkingFolder,
  file: string,
  what: string,
  { schema, shape }: { readonly schema: z.ZodType<T>; readonly shape: string },
): Promise<T> {
  return checkedData(schema, await givenJson(place, file, what), `${JSON.stringify(file)} is not ${shape}`, "the file");
}

/** Data of a known shape; the error begins with `wrong` and calls the data as a whole `whole`. */
export function checkedData<T>(schema: z.ZodType<T>, value: unknown, wrong: string, whole: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || whole}: ${message}`);
  throw new EngineError("bad-input", `${wrong}: ${issues.slice(0, 5).join("; ")}.`);
}
