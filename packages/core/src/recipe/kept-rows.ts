/** Rows that a recipe keeps from update to update, as plain JSON: a checkpoint holds them, and a resumed run has them again. */
import { EngineError } from "limbeck-base/base/errors";
import type { TrainRow } from "limbeck-policy/policy/objective";
import type { Json, JsonObject } from "limbeck-base/trajectory/trajectory";

const FLOATS = ["advantages", "oldLogprobs", "referenceLogprobs", "weights"] as const;

/** What a row needs to be learned from later; statistics of teachers are not among it. */
export function rowToJson(row: TrainRow): JsonObject {
  const floats = FLOATS.flatMap((name) => {
    const values = row[name];
    return values === undefined ? [] : [[name, toText(values)] as const];
  });
  const { trajectory, group, pair, rank, step } = row;
  const names = Object.entries({ trajectory, group, pair, rank, step }).filter(([, value]) => value !== undefined);
  return { ids: toText(row.ids), mask: toText(row.mask), ...Object.fromEntries(floats), ...Object.fromEntries(names) };
}

export function rowFromJson(json: Json | undefined): TrainRow {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw badRow("no object");
  const { ids, mask, ...rest } = json as JsonObject;
  const floats = FLOATS.flatMap((name) =>
    rest[name] === undefined ? [] : [[name, new Float64Array(toBytes(rest[name]))] as const],
  );
  const names = Object.entries(rest).filter(([name]) => !(FLOATS as readonly string[]).includes(name));
  return {
    ...Object.fromEntries(names),
    ...Object.fromEntries(floats),
    ids: new Int32Array(toBytes(ids)),
    mask: new Uint8Array(toBytes(mask)),
  };
}

/** The rows under this name of what was kept; none where nothing was. */
export function keptRows(kept: JsonObject | null, name: string): TrainRow[] {
  const list = kept?.[name];
  return Array.isArray(list) ? list.map((one) => rowFromJson(one as Json)) : [];
}

function toText({ buffer, byteOffset, byteLength }: Int32Array | Uint8Array | Float64Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

function toBytes(text: Json | undefined): ArrayBuffer {
  if (typeof text !== "string") throw badRow("an array that is no text");
  // Copied, so that it begins where wider numbers may begin.
  return new Uint8Array(Buffer.from(text, "base64")).buffer;
}

function badRow(what: string): EngineError {
  return new EngineError("bad-checkpoint", `A row in the checkpoint is ${what}; start a new run without --resume.`);
}
