/**
 * How similar a tool call is to a reference call (MatchTIR). Credit and rewards match calls by it.
 *
 *   S = 0 where names differ, else (1 + Jaccard(parameter names) + equal values) / (2 + reference parameters)
 */
import { canonicalJson, type JsonObject } from "../base/json.ts";

export interface ComparedCall {
  readonly name: string;
  /** Text, or null, where they could not be parsed. */
  readonly arguments: JsonObject | string | null;
}

/** Names without regard to case; an argument counts when it is equal as JSON, whatever the order of its keys. */
export function callSimilarity(call: ComparedCall, reference: ComparedCall): number {
  const [given, expected] = [call.arguments, reference.arguments];
  if (call.name.toLowerCase() !== reference.name.toLowerCase()) return 0;
  if (given === null || typeof given === "string" || expected === null || typeof expected === "string") return 0;
  const wanted = Object.keys(expected);
  const shared = wanted.filter((name) => Object.hasOwn(given, name));
  const union = Object.keys(given).length + wanted.length - shared.length;
  const equal = shared.filter((name) => canonicalJson(given[name] ?? null) === canonicalJson(expected[name] ?? null));
  return (1 + (union === 0 ? 1 : shared.length / union) + equal.length) / (2 + wanted.length);
}
