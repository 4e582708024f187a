/**
 * How far what was learnt on one kind of errand reaches (after AndroidWorld-Generalization): the same kind in houses that were
 * not seen (instance), other kinds in such houses (template), and those in larger houses (world). Train on what `limbeck train --env-set
 * dial=tiny --env-set 'families=["pick_and_place_simple"]'` plays, and ask this suite before and after.
 */
import type { SuiteInput } from "../suite.ts";

const SEEN = "pick_and_place_simple";
const OTHERS = ["look_at_obj_in_light", "pick_clean_then_place_in_recep", "pick_heat_then_place_in_recep"] as const;
const EACH = 24;

const place = (
  id: string,
  unseen: "instance" | "template" | "world",
  dial: string,
  families: readonly string[],
): SuiteInput["tasks"][number] => ({
  id,
  world: "household",
  options: { dial, families: [...families] },
  split: "test",
  count: EACH,
  unseen,
  buckets: [`${dial} houses`],
});

export const newErrands: SuiteInput = {
  suite: "new-errands",
  version: "1",
  meaning:
    "Errands that are new by instance, by template and by world, for a policy that trained on one family in tiny houses.",
  grader: "outcome",
  tasks: [
    place("instance", "instance", "tiny", [SEEN]),
    place("template", "template", "tiny", OTHERS),
    place("world", "world", "small", OTHERS),
  ],
};
