/** The credit methods by name, in two tiers. */
import { bothTiers, lookUp } from "limbeck-base/base/registry";
import type { CreditMethod } from "./credit.ts";
import { aStar } from "./a-star.ts";
import { a2tgpo } from "./a2tgpo.ts";
import { biLevelGae } from "./bi-level-gae.ts";
import { branchGrpo } from "./branch-grpo.ts";
import { cosearch } from "./cosearch.ts";
import { dapo } from "./dapo.ts";
import { dars } from "./dars.ts";
import { drGrpo } from "./dr-grpo.ts";
import { echo } from "./echo.ts";
import { flowGrpo } from "./flow-grpo.ts";
import { fr3e } from "./fr3e.ts";
import { gae } from "./gae.ts";
import { gigpo } from "./gigpo.ts";
import { gpg } from "./gpg.ts";
import { grpo } from "./grpo.ts";
import { hgpo } from "./hgpo.ts";
import { hiAgent } from "./hi-agent.ts";
import { igpo } from "./igpo.ts";
import { infopo } from "./infopo.ts";
import { iwOpd } from "./iw-opd.ts";
import { logoGrpo } from "./logo-grpo.ts";
import { mapo } from "./mapo.ts";
import { mars2 } from "./mars2.ts";
import { matchtir } from "./matchtir.ts";
import { mcCritic } from "./mc-critic.ts";
import { mcGrpo } from "./mc-grpo.ts";
import { multiContextGrpo } from "./multi-context-grpo.ts";
import { ngrpo } from "./ngrpo.ts";
import { opd } from "./opd.ts";
import { opid } from "./opid.ts";
import { opmd } from "./opmd.ts";
import { opo } from "./opo.ts";
import { optimalTokenBaseline } from "./optimal-token-baseline.ts";
import { passAtK } from "./pass-at-k.ts";
import { pbsd } from "./pbsd.ts";
import { pfPpo } from "./pf-ppo.ts";
import { portool } from "./portool.ts";
import { preGrpo } from "./pre-grpo.ts";
import { r3l } from "./r3l.ts";
import { rapo } from "./rapo.ts";
import { reinforcePlusPlusBaseline } from "./reinforce-plus-plus-baseline.ts";
import { reinforcePlusPlus } from "./reinforce-plus-plus.ts";
import { remax } from "./remax.ts";
import { rloo } from "./rloo.ts";
import { rose } from "./rose.ts";
import { scopeA } from "./scope-a.ts";
import { sdGrpo } from "./sd-grpo.ts";
import { siop } from "./siop.ts";
import { skill1 } from "./skill1.ts";
import { spear } from "./spear.ts";
import { spoChain } from "./spo-chain.ts";
import { spoTree } from "./spo-tree.ts";
import { ssl } from "./ssl.ts";
import { stepGrpo } from "./step-grpo.ts";
import { tablemind } from "./tablemind.ts";
import { treepo } from "./treepo.ts";
import { treepsRag } from "./treeps-rag.ts";
import { vgGrpo } from "./vg-grpo.ts";
import { xrpo } from "./xrpo.ts";

/** Those that follow code, a paper or common practice. A new one is a file, a test and a line here. */
export const credits = {
  "a-star": aStar,
  a2tgpo,
  "bi-level-gae": biLevelGae,
  "branch-grpo": branchGrpo,
  cosearch,
  dapo,
  dars,
  "dr-grpo": drGrpo,
  echo,
  "flow-grpo": flowGrpo,
  fr3e,
  gae,
  gigpo,
  gpg,
  grpo,
  hgpo,
  igpo,
  infopo,
  "iw-opd": iwOpd,
  "logo-grpo": logoGrpo,
  mars2,
  matchtir,
  "mc-critic": mcCritic,
  "mc-grpo": mcGrpo,
  "multi-context-grpo": multiContextGrpo,
  ngrpo,
  opd,
  opid,
  opmd,
  opo,
  "optimal-token-baseline": optimalTokenBaseline,
  "pass-at-k": passAtK,
  "pf-ppo": pfPpo,
  r3l,
  rapo,
  "reinforce-plus-plus-baseline": reinforcePlusPlusBaseline,
  "reinforce-plus-plus": reinforcePlusPlus,
  remax,
  rloo,
  rose,
  "sd-grpo": sdGrpo,
  "scope-a": scopeA,
  siop,
  spear,
  "spo-chain": spoChain,
  "spo-tree": spoTree,
  tablemind,
  treepo,
} as const satisfies Record<string, CreditMethod>;

/** Those that follow an abstract or a third party's reading (`info.confidence`): `limbeck/experimental`. Names find them all the same. */
export const experimentalCredits = {
  "hi-agent": hiAgent,
  mapo,
  pbsd,
  portool,
  "pre-grpo": preGrpo,
  skill1,
  ssl,
  "step-grpo": stepGrpo,
  "treeps-rag": treepsRag,
  "vg-grpo": vgGrpo,
  xrpo,
} as const satisfies Record<string, CreditMethod>;

export const allCredits = bothTiers(credits, experimentalCredits);

export type CreditId = keyof typeof allCredits;

/**
 * The method of this name, or an error that lists the known ones.
 *
 * @example
 * console.log(getCredit("gigpo").info.paper); // Group-in-Group Policy Optimization, arXiv 2505.10978
 */
export function getCredit(name: string): CreditMethod {
  return lookUp<CreditMethod>(allCredits, name, "credit method");
}
