/** Actors in the corridor that do what they are told: for recipes that let somebody act on a hint. */
import type { Policy } from "../../packages/policy/src/policy/policy.ts";
import type { LocalModel } from "../../packages/policy/src/policy/local/local-model.ts";
import { createScriptedPolicy } from "../../packages/policy/src/policy/tabular/scripted-policy.ts";

/** Goes east when a workflow is in front of it, and waits otherwise. */
export const obedient: Policy = createScriptedPolicy({
  script: ({ text }) => (text.includes("This worked") ? "go east" : "wait"),
});

/** Never gets anywhere, whatever it is told. */
export const idle: Policy = createScriptedPolicy({ script: () => "wait" });

/** A model that learns and scores as itself, and acts as another. */
export function actingAs(model: LocalModel, actor: Policy): LocalModel {
  return Object.create(model, { open: { value: actor.open.bind(actor) } }) as LocalModel;
}
