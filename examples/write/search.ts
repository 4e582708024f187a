import { defineSearch, option } from "limbeck";
import { bestOf } from "limbeck/search";

/** Grows the most promising node until the budget ends. */
export const greedy = defineSearch({
  info: {
    title: "Greedy",
    paper: "Our own",
    confidence: "inferred",
    formula: ["expand argmax V(node) over the open nodes"],
    meaning: "Always grows what looks best.",
    departures: [],
  },
  needs: ["value"],
  options: { width: option.number(4, "answers of a node", { least: 1, whole: true }) },
  create: ({ width }) => ({
    run: async (scope) => {
      let open = [scope.root];
      const seen = [];
      while (open.length > 0) {
        const node = bestOf(open) ?? scope.root;
        const children = await scope.expand(node, { count: width });
        if (children.length === 0) break;
        await scope.evaluate(children);
        seen.push(...children);
        open = [...open.filter((one) => one !== node), ...children.filter(({ closed }) => !closed)];
      }
      return bestOf(seen);
    },
  }),
});
