/** Single fields of `config.json`, checked: what a file says is foreign. */
import { EngineError } from "../../base/errors.ts";
import { quoted } from "./quoted.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export function badField(where: string, key: string, value: unknown, allowed: string): EngineError {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const plain = typeof value === "number" || typeof value === "boolean";
  const shown = value === undefined ? "missing" : plain ? String(value) : quoted(text);
  return new EngineError(
    "bad-model-config",
    `${where}: "${key}" is ${shown}; it must be ${allowed === "" ? "absent" : allowed}.`,
    { details: { key } },
  );
}

export function wholeField(json: JsonObject, key: string, where: string, otherwise?: number): number {
  const value = json[key] ?? otherwise;
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number;
  throw badField(where, key, value, "a whole number of at least 1");
}

export function positiveField(json: JsonObject, key: string, where: string, otherwise?: number): number {
  const value = json[key] ?? otherwise;
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  throw badField(where, key, value, "a number above 0");
}

/** Refuses a value that this engine does not compute; what is absent or null is fine. */
export function onlyField(json: JsonObject, key: string, where: string, allowed: readonly unknown[]): void {
  const value = json[key];
  if (value === undefined || value === null || allowed.includes(value)) return;
  throw badField(where, key, value, allowed.map((entry) => JSON.stringify(entry)).join(" or "));
}
