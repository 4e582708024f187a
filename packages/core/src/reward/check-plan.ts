/** What no schema can say of a plan: names that stand for something, gates that look back, screens that can see. */
import { EngineError } from "limbeck-base/base/errors";
import { resolveOptions } from "limbeck-base/base/options";
import { unknownName } from "limbeck-base/base/registry";
import { countedName, gateOf } from "./counted.ts";
import { plannedName, type PlannedReward, type RewardPlan } from "./plan.ts";
import { screens, type ScreenId, type ScreenSettings } from "./screens/index.ts";
import { checkWeight } from "./weight.ts";

/** What every gate and segment may look at: the episode's own. */
const OWN = ["reward", "success"];

export function checkPlan(plan: RewardPlan, shown: string): void {
  const before = [...OWN];
  for (const planned of plan.rewards) {
    const name = plannedName(planned);
    if (before.includes(name)) {
      const message = OWN.includes(name)
        ? `"${name}" is the episode's own; a reward of the plan cannot be stored as it. Give it another name with "as".`
        : `Two rewards of ${shown} are named "${name}"; give one another name with "as".`;
      throw new EngineError("bad-input", message);
    }
    checkWeight(name, planned.weight);
    checkCounting(name, planned, before);
    checkScreens(planned.screens, name);
    before.push(name);
  }
  checkScreens(plan.screens);
}

function checkCounting(name: string, { when, level, segment }: PlannedReward, before: readonly string[]): void {
  const isKnown = (wanted: string): boolean => before.some((one) => wanted === one || wanted.startsWith(`${one}.`));
  if (when !== undefined) {
    const { reward, least, most } = gateOf(when);
    if (!isKnown(reward)) throw unknownName(reward, before, `reward before "${name}", which its gate asks for`);
    if (least !== undefined && most !== undefined && least > most) {
      throw new EngineError("bad-input", `The gate of "${name}" never opens: least is ${least} and most is ${most}.`);
    }
  }
  if (segment === undefined) return;
  if (level !== "segment") {
    throw new EngineError("bad-input", `"${name}" says where segments end; that needs its level to be "segment".`);
  }
  // Its own steps may end them too: a reward of milestones is paid where one is reached.
  if ("at" in segment && segment.at !== name && !isKnown(segment.at)) {
    throw unknownName(segment.at, [...before, name], `reward that ends the segments of "${name}"`);
  }
}

/** Those of a single reward see no history, which only what is trained on has. */
function checkScreens(settings: ScreenSettings = {}, reward?: string): void {
  for (const [name, options] of Object.entries(settings)) {
    if (!Object.hasOwn(screens, name)) throw unknownName(name, Object.keys(screens), "screen");
    if (options !== false) resolveOptions(screens[name as ScreenId].options, options, name);
    if (reward !== undefined && name === "reward-without-success") {
      throw new EngineError(
        "bad-input",
        `The screen ${name} looks at the updates of a run, not at "${reward}" alone. Put it under "screens" of the plan.`,
      );
    }
  }
}

/** What one reward alone is trained as. */
export function soleReward(planned: PlannedReward): Pick<RewardPlan, "reward" | "stepReward"> {
  const name = countedName(plannedName(planned), planned);
  return (planned.level ?? "episode") === "episode" ? { reward: name } : { stepReward: name };
}
