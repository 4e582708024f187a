/** Who acts, as the command line names them: a scripted agent of the world, a chat model, or a model's folder. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { EngineError, withoutUndefined } from "../../base/index.ts";
import type { World } from "../../env/index.ts";
import type { Speech } from "../../rollout/index.ts";
import type { Invocation } from "../command.ts";
import { givenCount, maybeNumber } from "../model/open-given.ts";
import { usageError } from "../parse.ts";

export interface AgentPlace {
  readonly command: string;
  readonly world: World;
  /** Id of the world. */
  readonly env: string;
  /** Its name, where the command takes it from elsewhere than --policy. */
  readonly name?: string;
}

export type NamedPolicy =
  | { readonly kind: "script"; readonly name: string }
  | { readonly kind: "chat"; readonly speech: Speech }
  | { readonly kind: "model"; readonly folder: string; readonly speech: Speech };

export async function namedPolicy(invocation: Invocation, place: AgentPlace): Promise<NamedPolicy> {
  const { command, world, env, name = invocation.text("policy") } = place;
  const scripts = Object.keys(world.demonstrators ?? {});
  if (name === undefined || name === "") {
    throw usageError(
      `"limbeck ${command}" needs --policy: a model folder, bundled, chat, or a scripted agent of ${env} (${scripts.join(", ") || "it has none"}).`,
    );
  }
  if (scripts.includes(name)) return { kind: "script", name };
  if (name === "chat") return { kind: "chat", speech: givenSpeech(invocation, 1_024) };
  const { bundledModel, bundledModelFor } = await import("../../policy/local/bundled-model.ts");
  const folder = name === "bundled" ? bundledModel(bundledModelFor(env)) : resolve(invocation.io.cwd, name);
  if ((await stat(folder).catch(() => undefined))?.isDirectory() === true) {
    return { kind: "model", folder, speech: givenSpeech(invocation, 64) };
  }
  const known = ["bundled", "chat", ...scripts].join(", ");
  throw new EngineError("unknown-name", `No policy "${name}": it is no model folder, and none of ${known}.`, {
    details: { policy: name },
  });
}

function givenSpeech(invocation: Invocation, answerTokens: number): Speech {
  return withoutUndefined({
    prompts: invocation.text("prompts") ?? "append",
    history: givenCount(invocation, "history", 4, 0),
    form: invocation.text("form") ?? "plain",
    answerTokens: givenCount(invocation, "max-tokens", answerTokens),
    restrict: invocation.flag("restrict"),
    system: invocation.text("system"),
    temperature: maybeNumber(invocation, "temperature", { low: 0 }),
  });
}
