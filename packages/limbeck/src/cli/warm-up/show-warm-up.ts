/** A warm-up for people: a line for what is found, and what came of it in words. */
import { relative } from "node:path";
import { namesFile, splitName } from "limbeck-base/base/parts/part";
import { evaluationWords } from "limbeck-core/eval/evaluate";
import type { WarmedUp } from "limbeck-training/training/warm-up/warm-up";
import type { WarmUpEvent } from "limbeck-training/training/warm-up/options";
import { wordLines } from "limbeck-training/training/warm-up/word-check";
import { sharedSettings } from "limbeck-core/update/settings";
import type { Invocation } from "../command.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatDuration, plural } from "limbeck-base/base/units";
import { typedPath } from "../typed-command.ts";

/** What a model that is fresh from its demonstrations learns by: measured in docs/learn/new-world.md. */
const NEXT_TRAINING = "--recipe grpo --steps 40 --set tasks=16 --set learningRate=0.0001";

type Said<Event> = Event extends { readonly kind: infer Kind } ? Omit<Event, "kind"> & { readonly event: Kind } : never;

export function showWarmUp({ print, note, style, io }: Invocation, { env = "" }: { readonly env: string | undefined }) {
  return {
    event: (said: Said<WarmUpEvent>) => {
      if (said.event === "shown") {
        print(`Shown by ${cleanLine(said.from)}: ${said.solved} of ${said.played} episodes succeeded`);
      } else if (said.event === "baselines") {
        const [blind, random] = [said.blind, said.random].map((one) => cleanLine(evaluationWords(one)));
        print(`Without learning: ${blind} by always "${cleanLine(said.answer)}", ${random} by lot`);
      } else if (said.event === "words") for (const line of wordLines(said.words)) print(cleanLine(line));
      else if (said.event === "evaluation") {
        const words = style.bold(cleanLine(evaluationWords(said.evaluation)));
        print(`${style.dim("update")} ${said.update}  validation success ${words}`);
      }
    },
    result: ({ measured, verdict, model, seconds, updates, answerTokens }: WarmedUp) => {
      print();
      for (const [name, evaluation] of [
        ["Without advice        ", measured.none],
        ["  at temperature 1    ", measured.sampled],
        ["With right advice     ", measured.right],
        ["With wrong advice     ", measured.wrong],
      ] as const) {
        if (evaluation !== undefined) print(`${name}${style.bold(cleanLine(evaluationWords(evaluation)))}`);
      }
      for (const words of verdict.words) note(`! ${cleanLine(words)}`);
      const folder = cleanLine(relative(io.cwd, model) || model);
      const took = style.dim(`(${formatDuration(seconds * 1_000)}, ${plural(updates, "update")})`);
      print(`The model: ${style.cyan(folder)} ${took}`);
      const room = answerTokens > sharedSettings.answerTokens.default ? ` --set answerTokens=${answerTokens}` : "";
      const world = cleanLine(typedWorld(env, io.cwd));
      print(`Go on: limbeck train --env ${world} --model ${folder} ${NEXT_TRAINING}${room}`);
    },
  };
}

/** A file is known by its whole path and its content; people type it from where they are. */
function typedWorld(name: string, cwd: string): string {
  return namesFile(name) ? typedPath(splitName(name).file, cwd) : name;
}
