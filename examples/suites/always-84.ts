/** An agent that says the same, whatever it is asked: docs/learn/suites.md. */
import { defineAgent } from "limbeck/search";

export default defineAgent({
  info: { title: "Always 84", meaning: "Says the same, whatever it is asked." },
  create: () => ({
    id: "always-84",
    summary: "Says 84.",
    start: () => ({ next: () => "A card, by line [1]: 84" }),
  }),
});
