/** Nothing beyond what the policy saw: for teachers that are better models. */
import type { Context } from "./context.ts";

export const none: Context = {
  info: {
    title: "No more than the policy saw",
    meaning: "The teacher reads the very tokens that the policy read; it must know better by itself.",
    missing: "never",
  },
  prepare: () => Promise.resolve({ kind: "plain" }),
};
