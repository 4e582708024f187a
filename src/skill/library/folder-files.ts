/** Files of a library: whole or not there. A number is created once, whoever tries, so that no change is lost. */
import { randomBytes } from "node:crypto";
import { appendFile, link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../../base/index.ts";

/** Begins with a dot, so that no reader takes it for a skill. */
function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}-${process.pid}-${randomBytes(5).toString("hex")}`);
}

async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    await writeWhole(temporary, text);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** False where the path is taken. */
export async function createFile(path: string, text: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = temporaryBeside(path);
  try {
    await writeWhole(temporary, text);
    await link(temporary, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** One line; the system appends it whole, whoever else appends. */
export async function appendLine(path: string, value: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, `${JSON.stringify(value)}\n`);
}

/** Undefined where there is none. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith("."));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** What changes when a file does: time, size and place on the disk; empty where there is none. */
export async function stampOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
}
