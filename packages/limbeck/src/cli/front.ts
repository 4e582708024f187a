/**
 * What a command line answers before a command runs: help, versions and refusals. `scripts/limbeck.mjs` bundles this file, since
 * loading 130 small ones is half of what `--help` costs; every other command line goes on with `bin.ts`.
 */
import { commands } from "./index.ts";
import { answerOnProcess } from "./process-io.ts";
import { answerEarly } from "./run-command.ts";

export const isAnswered = await answerOnProcess((words, io) => answerEarly(words, io, commands));
