/**
 * Native and optional parts, loaded before the command that needs them does anything: a missing one is reported in the first
 * second.
 */
import { EngineError, errorData } from "limbeck-base/base/errors";
import type { World } from "limbeck-core/env/world";
import type { NativeName } from "limbeck-base/base/operation";
import type { Command, Words } from "./command.ts";

export const LOADERS: Readonly<Record<NativeName, () => Promise<unknown>>> = {
  duckdb: async () => await (await import("limbeck-store/store/duckdb")).loadDuckDB(),
  onnxruntime: async () => await (await import("limbeck-policy/graph/runtime")).loadOnnxRuntime(),
  fleet: async () => {
    const { loadBullmq, loadIoredis } = await import("limbeck-remote/fleet/queues");
    return await Promise.all([loadBullmq(), loadIoredis()]);
  },
  mcp: async () => await (await import("limbeck-studio/mcp/sdk")).loadServer(),
  openenv: async () => await (await import("limbeck-worlds/openenv/socket")).loadWebSocket(),
  shop: async () => await (await import("limbeck-worlds/shop/nouns")).loadNounTagger(),
};

export function nativesOf({ natives = [] }: Command, words: Words): readonly NativeName[] {
  return typeof natives === "function" ? natives(words) : natives;
}

/** Several missing ones are reported together. */
export async function loadNatives(names: readonly NativeName[]): Promise<void> {
  const loaded = await Promise.allSettled(names.map((name) => LOADERS[name]()));
  const errors = loaded.flatMap((one): unknown[] => (one.status === "rejected" ? [one.reason] : []));
  if (errors.length === 0) return;
  if (errors.length === 1) throw errors[0];
  const data = errors.map(errorData);
  throw EngineError.from({
    code: data[0]?.code ?? "native-part-missing",
    message: data.map(({ message }) => message).join("\n"),
    details: { parts: data.map(({ details }) => details) },
  });
}

/** What playing in a world takes. Without it every episode would be lost. */
export async function loadWorldPart({ part }: World): Promise<void> {
  await loadNatives(part === undefined ? [] : [part]);
}
