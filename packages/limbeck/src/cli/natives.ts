/**
 * Native and optional parts, loaded before the command that needs them does anything: a missing one is reported in the first
 * second, or installed where a person wants it.
 */
import { isYes } from "limbeck-base/base/ask-first";
import { EngineError, errorData } from "limbeck-base/base/errors";
import { commandText, missingPackages, type MissingPackages } from "limbeck-base/base/missing-packages";
import type { NativeName } from "limbeck-base/base/operation";
import { OPTIONAL_PARTS } from "limbeck-base/base/optional-part";
import { OWN_MANIFEST } from "limbeck-base/base/own-place";
import { formatNumber } from "limbeck-base/base/units";
import type { Command, Invocation, Words } from "./command.ts";

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

interface PartPackages {
  readonly packages: readonly string[];
  /** On disk, with all that they bring; measured on Linux x64. */
  readonly megabytes: number;
}

export const PART_PACKAGES: Readonly<Record<NativeName, PartPackages>> = {
  duckdb: { packages: ["@duckdb/node-api"], megabytes: 72 },
  onnxruntime: { packages: ["onnxruntime-node"], megabytes: 260 },
  fleet: { ...OPTIONAL_PARTS.fleet, megabytes: 13 },
  mcp: { ...OPTIONAL_PARTS.mcp, megabytes: 13 },
  openenv: { ...OPTIONAL_PARTS.openenv, megabytes: 0.2 },
  shop: { ...OPTIONAL_PARTS.shop, megabytes: 4.5 },
};

export function nativesOf({ natives = [] }: Command, words: Words): readonly NativeName[] {
  return typeof natives === "function" ? natives(words) : natives;
}

type Frame = Pick<Invocation, "io" | "text" | "note" | "progress">;

/** Loads parts. Packages that are missing are installed first, where `--yes` or a person at the terminal wants it. */
export async function needNatives(parts: readonly NativeName[], frame: Frame, manifest = OWN_MANIFEST): Promise<void> {
  const packages = parts.flatMap((part) => PART_PACKAGES[part].packages);
  const missing = missingPackages(packages, manifest);
  if (missing !== undefined) await install(missing, parts, frame);
  await loadNatives(parts);
}

async function install(missing: MissingPackages, all: readonly NativeName[], frame: Frame): Promise<void> {
  const { project, names } = missing;
  const command = commandText(missing.command);
  const parts = all.filter((part) => PART_PACKAGES[part].packages.some((name) => names.includes(name)));
  const size = `${formatNumber(parts.reduce((sum, part) => sum + PART_PACKAGES[part].megabytes, 0))} MB`;
  const [are, them] = names.length === 1 ? ["is", "it"] : ["are", "them"];
  const what = `${names.join(" and ")} ${are} not installed here; a first installation leaves ${them} out. In ${project}:\n  ${command}`;
  const question = `${what}\nInstall about ${size} now? [y/N] `;
  const answer = frame.text("yes") === undefined ? await frame.io.ask(question) : "yes";
  if (!isYes(answer ?? "")) {
    const code = parts.every((part) => part in OPTIONAL_PARTS) ? "package-missing" : "native-part-missing";
    const hint = `Or type the same with --yes: it installs about ${size} and goes on.`;
    throw new EngineError(code, `${what}\n${hint}`, { details: { parts, packages: names, command } });
  }
  const { runManager } = await import("limbeck-base/base/package-manager");
  frame.note(`Installing about ${size} into ${project}: ${command}`);
  const progress = frame.progress({ label: `Installing ${names.join(" and ")}`, unit: "time" });
  const pulse = setInterval(() => progress.update(0), 200);
  try {
    await runManager(missing.command, { cwd: project, environment: frame.io.env, signal: frame.io.signal });
  } finally {
    clearInterval(pulse);
    progress.end();
  }
}

/** Several that fail are reported together. */
async function loadNatives(names: readonly NativeName[]): Promise<void> {
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
