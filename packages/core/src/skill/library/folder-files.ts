/** Files of a library: whole or not there. A number is created once, by one of several writers, so that no change is lost. */
import { appendFile, link, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "limbeck-base/base/errors";
import { isMissing, temporaryBeside } from "limbeck-base/base/files";

async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
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

/** One line; the system appends it whole beside other writers. */
export async function appendLine(path: string, value: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, `${JSON.stringify(value)}\n`);
}

export async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return [];
  });
  return names.filter((name) => !name.startsWith("."));
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
