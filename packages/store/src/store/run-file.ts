/** The file `run.json`: what a run is. Created exclusively, so that two runs never share an id. */
import { z } from "zod";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { boundedJson, type JsonObject } from "limbeck-base/base/json";
import { newerFormat } from "./commit-format.ts";
import type { Files } from "./files.ts";

/** Version of the layout of a run folder. */
const LAYOUT_VERSION = 1;

const RunSchema = z.object({
  schemaVersion: z.number().int().positive(),
  id: z.string(),
  kind: z.string(),
  createdAt: z.string(),
  config: z.record(z.string(), z.json()),
});

export type RunFile = z.output<typeof RunSchema>;

export async function createRunFile(
  files: Files,
  run: Omit<RunFile, "schemaVersion" | "config"> & { readonly config: JsonObject },
): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify({ schemaVersion: LAYOUT_VERSION, ...run }, null, 2)}\n`);
  // Object storage deletes one file after the other; a deletion that broke off leaves commits, which are of another run.
  if (files.copies !== undefined && (await files.list(`${run.id}/commits`)).length > 0) {
    const isRun = (await files.stat(`${run.id}/run.json`)) !== undefined;
    if (!isRun) throw leftOver(files, run.id);
  }
  if (await files.putIfAbsent(`${run.id}/run.json`, bytes)) return;
  throw new EngineError(
    "run-exists",
    `There is already a run "${run.id}" in ${files.address("")}; choose another id.`,
    {
      details: { run: run.id },
    },
  );
}

function leftOver(files: Files, id: string): EngineError {
  return new EngineError(
    "run-exists",
    `${files.address(id)} holds what is left of a deleted run. Choose another id, or delete what is there.`,
    { details: { run: id } },
  );
}

export async function readRunFile(files: Files, id: string): Promise<RunFile> {
  const path = files.address(`${id}/run.json`);
  let value: unknown;
  try {
    value = boundedJson(await files.read(`${id}/run.json`));
  } catch (cause) {
    // A plain file beside the runs is none either.
    if (errorCode(cause) === "ENOENT" || errorCode(cause) === "ENOTDIR") {
      throw new EngineError("no-run", `No run "${id}" in ${files.address("")}: ${path} does not exist.`, {
        details: { run: id },
        cause,
      });
    }
    throw new EngineError("bad-run", `${path} cannot be read: ${(cause as Error).message}`, {
      details: { run: id, path },
      cause,
    });
  }
  const parsed = RunSchema.safeParse(value);
  if (!parsed.success) {
    throw new EngineError("bad-run", `${path} does not describe a run: ${z.prettifyError(parsed.error)}`, {
      details: { run: id, path },
    });
  }
  if (parsed.data.schemaVersion > LAYOUT_VERSION)
    throw newerFormat(path, `layout version ${parsed.data.schemaVersion}`, LAYOUT_VERSION);
  if (parsed.data.id !== id) throw copied(path, id, parsed.data.id);
  return parsed.data;
}

/** Its rows say whose they are; under another name they would be counted twice. */
function copied(path: string, id: string, of: string): EngineError {
  const shown = JSON.stringify(of.slice(0, 100));
  return new EngineError(
    "bad-run",
    `${path} is of run ${shown}: the folder "${id}" is a copy, or was renamed. A copy belongs into a store of its own, under the name ${shown}.`,
    { details: { run: id, path, copyOf: of } },
  );
}

export function isCopy({ code, details }: EngineError): boolean {
  return code === "bad-run" && details["copyOf"] !== undefined;
}
