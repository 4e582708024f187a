/** Recovery: after every refused action the agent found one that was accepted and changed the state. */
import { effectOf, type Rubric } from "./rubric.ts";

export const recovery: Rubric = {
  id: "recovery",
  summary:
    "After each refusal (a row of refusals is one), an accepted action changed the state before the next refusal.",
  good: true,
  check: (walk) => {
    const errors: { readonly at: number; recovered: boolean }[] = [];
    walk.steps.forEach((step, at) => {
      const last = errors.at(-1);
      if (step.valid) {
        if (last !== undefined && effectOf(walk, at) === "changed") last.recovered = true;
      } else if (walk.steps[at - 1]?.valid !== false) errors.push({ at, recovered: false });
    });
    if (errors.length === 0) return { shown: null, why: "no action was refused" };
    const recovered = errors.filter((error) => error.recovered);
    return {
      shown: recovered.length === errors.length,
      // The evidence is the refusals: those that were overcome when it is shown, the others when it is not.
      steps: errors
        .filter((error) => error.recovered === (recovered.length === errors.length))
        .map(({ at }) => walk.steps[at]?.index ?? at),
      share: recovered.length / errors.length,
    };
  },
};
