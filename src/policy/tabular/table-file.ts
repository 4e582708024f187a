/** A learned table as a file: what was learned, the optimiser's state and the version. The given rows are not in it. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { EngineError } from "../../base/index.ts";
import type { AdamState } from "../local/adam.ts";
import type { Table } from "./table.ts";

interface Learned {
  readonly table: Table;
  readonly state: AdamState;
}

const FILE = "table.json";
const numbers = z.array(z.number());
const TableFileSchema = z.strictObject({
  version: z.int(),
  step: z.int().min(0),
  shift: numbers,
  first: numbers,
  second: numbers,
});

/** Numbers of single precision survive JSON exactly, so a loaded table goes on bit for bit. */
export async function saveTable(
  folder: string,
  { table, state, version }: Learned & { version: number },
): Promise<void> {
  const { step, first, second } = state;
  const content = { version, step, shift: [...table.shift], first: [...first], second: [...second] };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, FILE), JSON.stringify(content));
}

/** Fills the table and the state, and gives the version. Nothing changes where the file does not fit. */
export async function loadTable(folder: string, { table, state }: Learned): Promise<number> {
  const parsed = TableFileSchema.safeParse(parse(folder, await read(folder)));
  if (!parsed.success) throw bad(folder, z.prettifyError(parsed.error));
  const { shift, first, second, step, version } = parsed.data;
  for (const values of [shift, first, second]) {
    if (values.length === table.shift.length) continue;
    throw bad(folder, `it holds ${values.length} numbers, the table has ${table.shift.length}`);
  }
  table.shift.set(shift);
  state.first.set(first);
  state.second.set(second);
  state.step = step;
  table.changed();
  return version;
}

async function read(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, FILE), "utf8");
  } catch (error) {
    throw new EngineError("file-missing", `"${folder}" has no readable ${FILE}; save a tabular policy there first.`, {
      cause: error,
    });
  }
}

function parse(folder: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw bad(folder, error instanceof Error ? error.message : "it is not JSON");
  }
}

function bad(folder: string, why: string): EngineError {
  return new EngineError("bad-table", `The ${FILE} of "${folder}" cannot be used: ${why}.`);
}
