/** The recipes by name. */
import { bothTiers, lookUp } from "limbeck-base/base/registry";
import type { CreditId } from "../credit/registry.ts";
import { agentQ } from "./agent-q.ts";
import { aopd } from "./aopd.ts";
import { cso } from "./cso.ts";
import { dapo } from "./dapo.ts";
import { dars } from "./dars.ts";
import { earlyExperience } from "./early-experience.ts";
import { fate } from "./fate.ts";
import { gigpo } from "./gigpo.ts";
import { grpo } from "./grpo.ts";
import { gspo } from "./gspo.ts";
import { hgpo } from "./hgpo.ts";
import { iwOpd } from "./iw-opd.ts";
import { kepo } from "./kepo.ts";
import { lookahead } from "./lookahead.ts";
import { maestro } from "./maestro.ts";
import { onlineDpo } from "./online-dpo.ts";
import { opd } from "./opd.ts";
import { opid } from "./opid.ts";
import { otr } from "./otr.ts";
import { pbsd } from "./pbsd.ts";
import { pwOpsd } from "./pw-opsd.ts";
import { raft } from "./raft.ts";
import { r3l } from "./r3l.ts";
import { r3lPairs } from "./r3l-pairs.ts";
import type { Recipe } from "./recipe.ts";
import { rejectionSampling } from "./rejection-sampling.ts";
import { reinforcePlusPlus } from "./reinforce-plus-plus.ts";
import { rloo } from "./rloo.ts";
import { sage } from "./sage.ts";
import { scopeA } from "./scope-a.ts";
import { scopeB } from "./scope-b.ts";
import { sdft } from "./sdft.ts";
import { sdpo } from "./sdpo.ts";
import { skill1 } from "./skill1.ts";
import { tcod } from "./tcod.ts";
import { trd } from "./trd.ts";
import { spear } from "./spear.ts";
import { stepDpo } from "./step-dpo.ts";
import { xrpo } from "./xrpo.ts";

/** Those that follow code, a paper or common practice. A new one is a file, a test and a line here. */
export const recipes = {
  "agent-q": agentQ,
  cso,
  dapo,
  dars,
  gigpo,
  grpo,
  gspo,
  hgpo,
  "iw-opd": iwOpd,
  kepo,
  lookahead,
  maestro,
  "online-dpo": onlineDpo,
  opd,
  opid,
  "pw-opsd": pwOpsd,
  r3l,
  "r3l-pairs": r3lPairs,
  "reinforce-plus-plus": reinforcePlusPlus,
  "rejection-sampling": rejectionSampling,
  rloo,
  "scope-a": scopeA,
  sdft,
  sdpo,
  tcod,
  trd,
  spear,
  "step-dpo": stepDpo,
} as const satisfies Record<string, { readonly credit: CreditId }>;

/** Those that follow an abstract or a third party's reading (`info.confidence`): `limbeck/experimental`. Names find them all the same. */
export const experimentalRecipes = {
  aopd,
  "early-experience": earlyExperience,
  fate,
  otr,
  pbsd,
  raft,
  sage,
  "scope-b": scopeB,
  skill1,
  xrpo,
} as const satisfies Record<string, { readonly credit: CreditId }>;

export const allRecipes = bothTiers(recipes, experimentalRecipes);
export type RecipeId = keyof typeof allRecipes;

/**
 * The recipe of this name, or an error that lists the known ones.
 *
 * @example
 * console.log(getRecipe("opid").credit); // opid
 */
export function getRecipe(name: string): Recipe {
  return lookUp<Recipe>(allRecipes, name, "recipe");
}
