/**
 * Which verbs (first words of actions) pass, by what a group shows: the next action of the same verb undoes them, as
 * walking on undoes having walked.
 */
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";

export function verbOf(action: string): string {
  return /^\s*([\p{L}_]+)/u.exec(action)?.[1]?.toLowerCase() ?? "";
}

/**
 * A verb passes when an action led to the same state after others of its verb as it did without them, more often than
 * not, and none of its actions went without a change that could be seen.
 */
export function passingVerbs(group: readonly Trajectory[]): Set<string> {
  const known = new Map<string, Set<string>>();
  const name = (from: string, action: string): string => JSON.stringify([from, action]);
  for (const { steps } of group) {
    for (const [at, { stateKey, action, valid }] of steps.entries()) {
      const to = steps[at + 1]?.stateKey;
      if (!valid || to === undefined) continue;
      const reached = known.get(name(stateKey, action)) ?? new Set();
      known.set(name(stateKey, action), reached.add(to));
    }
  }
  const votes = new Map<string, number>();
  for (const { steps } of group) {
    for (const [at, first] of steps.entries()) {
      const verb = verbOf(first.action);
      for (let later = at + 1; later < steps.length - 1; later += 1) {
        const step = steps[later] as Step;
        if (!first.valid || !step.valid || verbOf(step.action) !== verb) break;
        const reached = known.get(name(first.stateKey, step.action));
        if (reached === undefined || step.action === first.action) continue;
        const agrees = reached.has((steps[later + 1] as Step).stateKey);
        votes.set(verb, (votes.get(verb) ?? 0) + (agrees ? 1 : -1));
      }
    }
  }
  const unseen = unseenVerbs(group);
  return new Set([...votes].filter(([verb, vote]) => vote > 0 && !unseen.has(verb)).map(([verb]) => verb));
}

/** Verbs of accepted actions that left the text as it was: what they did may last without showing. */
function unseenVerbs(group: readonly Trajectory[]): Set<string> {
  const verbs = group.flatMap(({ steps }) =>
    steps
      .filter(({ valid, observation }, at) => valid && steps[at + 1]?.observation === observation)
      .map(({ action }) => verbOf(action)),
  );
  return new Set(verbs);
}
