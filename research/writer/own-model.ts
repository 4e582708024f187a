/** The bundled model of a world, ready to play; undefined where it has none. */
import { bundledModel, requireTokenizer } from "limbeck/local";
import { bundledNames } from "../../packages/policy/src/policy/local/bundled-model.ts";
import { bundledModels, type BundledPurpose } from "../../packages/policy/src/policy/starts.ts";
import { createChatDialect, openModel } from "limbeck";
import type { WriterWorld } from "./worlds.ts";

export async function openOwnModel(world: WriterWorld) {
  const name = bundledNames.find((one) => one === world.id);
  if (name === undefined) return undefined;
  const policy = await openModel(bundledModel(name), { threads: 1 });
  const dialect = await createChatDialect(requireTokenizer(policy));
  const { answerTokens = 24 }: BundledPurpose = bundledModels[name];
  return { policy, dialect, env: world.env, answerTokens };
}
