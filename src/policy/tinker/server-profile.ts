/** What kind of server answers, and what it says of itself. What it does not say is measured; see `training-probe.ts`. */
import { EngineError, errorCode } from "../../base/index.ts";
import type { TinkerHttp } from "./http.ts";
import { SDK_VERSION } from "./session.ts";
import { capabilitiesSchema, clientConfigSchema, readAs } from "./wire.ts";

export interface ServerProfile {
  /** "limbeck" is `limbeck trainer`, "skyrl" SkyRL's open-source server. */
  readonly kind: "limbeck" | "skyrl" | "other";
  /** Base models that it serves. */
  readonly models: readonly string[];
  /** Whether it understands `SampleExtension`. */
  readonly extension: boolean;
  /** Whether rank 0 trains the full weights; false: only adapters, as far as is known. */
  readonly fullWeights: boolean;
  /** Words beside the sampled one that it scores and learns from at each token; 0: the protocol's one word only. */
  readonly candidates: number;
  /** Whether rows and prompts may be sent as packed arrays. */
  readonly packed: boolean;
  readonly limits: { readonly datums?: number; readonly bytes?: number; readonly concurrency?: number };
}

export async function readProfile(http: TinkerHttp, signal?: AbortSignal): Promise<ServerProfile> {
  const what = "get_server_capabilities";
  const told = await http.json(`/api/v1/${what}`, { method: "GET", what, signal });
  const { supported_models } = readAs(capabilitiesSchema, told, what);
  const config = readAs(
    clientConfigSchema,
    await optional(
      http.json("/api/v1/client/config", { body: { sdk_version: SDK_VERSION }, what: "client/config", signal }),
    ),
    "client/config",
  );
  const root = await optional(http.json("/", { method: "GET", what: "the server's root", signal }));
  const { name } = root as { readonly name?: unknown };
  const { limbeck } = config;
  const limits = {
    datums: config.fwdbwd_max_chunk_len ?? undefined,
    bytes: config.fwdbwd_max_chunk_bytes_count ?? undefined,
    concurrency: config.sample_max_concurrent_requests ?? undefined,
  };
  return {
    kind: limbeck !== null && limbeck !== undefined ? "limbeck" : name === "Tinker API Mock" ? "skyrl" : "other",
    models: supported_models.flatMap(({ model_name }) => (typeof model_name === "string" ? [model_name] : [])),
    extension: (limbeck?.extension ?? 0) >= 1,
    fullWeights: limbeck?.full_weights ?? false,
    candidates: limbeck?.candidates ?? 0,
    packed: (limbeck?.packed ?? 0) >= 1,
    limits: Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)),
  };
}

/** The base model to train: the one asked for, or the only one there is. */
export function chooseModel({ models }: ServerProfile, wanted: string | undefined, address: string): string {
  const served = models.length === 0 ? "none" : models.map((name) => `"${name}"`).join(", ");
  if (wanted !== undefined) {
    if (models.includes(wanted)) return wanted;
    throw new EngineError(
      "trainer-lacks-model",
      `The trainer at ${address} does not serve the base model "${wanted}". It serves: ${served}. Name one of those, or start the trainer with that model.`,
      { details: { wanted, served: [...models] } },
    );
  }
  const [only, ...more] = models;
  if (only !== undefined && more.length === 0) return only;
  throw new EngineError(
    "trainer-lacks-model",
    `The trainer at ${address} serves ${models.length} base models (${served}); say which one with --base-model.`,
    { details: { served: [...models] } },
  );
}

/** Parts of the protocol that a server may lack. */
async function optional(asked: Promise<unknown>): Promise<unknown> {
  try {
    return (await asked) ?? {};
  } catch (error) {
    if (["trainer-missing", "trainer-refused", "trainer-bad-response"].includes(errorCode(error) ?? "")) return {};
    throw error;
  }
}
