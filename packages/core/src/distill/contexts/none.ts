/** Nothing beyond what the policy saw: for teachers that are better models. */
import { defineContext } from "./context.ts";

export const none = defineContext({
  info: {
    title: "No more than the policy saw",
    meaning: "The teacher reads the very tokens that the policy read; it must know better by itself.",
    missing: "never",
  },
  options: {},
  prepare: () => Promise.resolve({ kind: "plain" }),
});
