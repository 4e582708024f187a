import { defineStrategy } from "limbeck";

/** Walks every task once and, at the step in the middle, three times more. */
export const midway = defineStrategy({
  info: {
    title: "Midway",
    paper: "Our own",
    confidence: "inferred",
    formula: ["one episode, then `branches` more from its middle"],
    meaning: "Tries the second half of every episode again.",
    departures: [],
  },
  needs: ["fork"],
  options: { branches: { kind: "number", default: 3, least: 1, whole: true, meaning: "second halves" } },
  create: ({ branches }) => ({
    run: async (scope) => {
      await scope.each(
        scope.tasks,
        async (own, task) => {
          const trunk = await own.open(task, "trunk", { bookmarks: true });
          if (trunk === undefined) return;
          await trunk.advance();
          if (trunk.steps.length < 2) return;
          const step = Math.floor(trunk.steps.length / 2);
          const twigs = [];
          for (let twig = 0; twig < branches; twig += 1) {
            const branch = await trunk.branchAt({ step }, twig);
            if (branch !== undefined) twigs.push(branch);
          }
          await own.together(twigs, (walk) => walk.advance());
        },
        { walks: 1 + branches },
      );
    },
  }),
});
