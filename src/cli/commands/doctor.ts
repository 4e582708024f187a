/** `limbeck doctor`: what works on this machine, and what to do about the rest. */
import type { Command } from "../command.ts";

export const doctor: Command = {
  group: "start",
  summary: "What works on this machine, and what to do about the rest",
  usage: "",
  description:
    "Checks run one after another and really do what they check. The exit code is 1 when something that is needed is broken; of a native part that is missing it says what does not work without it and how to mend it.",
  options: {},
  examples: ["limbeck doctor", "limbeck doctor --json"],
  jsonFields: {
    check: "what was checked",
    state: "ok, warning, broken or note",
    required: "whether Limbeck cannot work without it",
    value: "what was found",
    hint: "what to do about it, or null",
    affects: "what does not work without it, or null",
    durationMs: "time the check took",
  },
  run: async (invocation) => (await import("../doctor/diagnose.ts")).diagnose(invocation),
};
