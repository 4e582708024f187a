/** The names of the interchange formats, loaded when asked for. */
import type { Format } from "../store/formats/format.ts";

async function formatNames(): Promise<readonly string[]> {
  const { formats } = await import("../store/formats/index.ts");
  return Object.keys(formats).sort();
}

/** The names of what can be imported: formats, and programs whose sessions are read. */
export async function importNames(): Promise<readonly string[]> {
  return [...(await formatNames()), ...(await programNames())];
}

/** The programs whose sessions are read. */
export async function programNames(): Promise<readonly string[]> {
  const { importers } = await import("../record/importers/registry.ts");
  return Object.keys(importers).sort();
}

/** The names of those that can be written. */
export async function writableFormatNames(): Promise<readonly string[]> {
  const { formats } = await import("../store/formats/index.ts");
  const entries: [string, Format][] = Object.entries(formats);
  return entries.flatMap(([name, { readOnly = false }]) => (readOnly ? [] : [name])).sort();
}
