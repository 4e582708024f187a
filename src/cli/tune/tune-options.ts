/** From the command line to what a tune is asked for, and back to a line that trains. */
import { resolve } from "node:path";
import { usageError } from "../../base/errors.ts";
import { namesFile, splitName } from "../../base/parts/part.ts";
import { givenRewards } from "../../run/given-rewards.ts";
import { TUNED_RECIPE, type TuneOptions } from "../../run/tune.ts";
import { wordsFor } from "../command-of.ts";
import { typedPath } from "../typed-command.ts";
import { trialInputs, type TuneFrame, type TuneInput } from "./tune.inputs.ts";

export async function tuneOptions(input: TuneInput, frame: TuneFrame): Promise<TuneOptions> {
  return {
    ...input,
    reward: await givenRewards(input, frame),
    model: input.model === undefined ? undefined : resolve(frame.cwd, input.model),
    over: givenOver(input),
    words: trialWords(input, frame),
  };
}

/** --over NAME=A,B,C, or a name alone. */
function givenOver({ over }: TuneInput): NonNullable<TuneOptions["over"]> {
  const given = over.map((one) => {
    const at = one.indexOf("=");
    const name = (at < 0 ? one : one.slice(0, at)).trim();
    if (name === "") throw usageError(`--over takes NAME=A,B,C or a NAME, not "${one}".`);
    return [name, at < 0 ? null : one.slice(at + 1).split(",")] as const;
  });
  const twice = given.find(([name], at) => given.findIndex(([other]) => other === name) !== at);
  if (twice !== undefined)
    throw usageError(`--over has "${twice[0]}" twice. Give all its values at once: --over ${twice[0]}=A,B,C.`);
  return Object.fromEntries(given);
}

/** What was typed and a training takes too; files by their paths. */
function trialWords(input: TuneInput, { cwd, given }: TuneFrame): string[] {
  const typed = Object.entries(trialInputs).flatMap(([name]) => {
    const value = input[name as keyof typeof trialInputs];
    const isFile = typeof value === "string" && namesFile(value) && value.includes("#");
    return given(name) ? [[name, isFile ? typedPath(splitName(value).file, cwd) : value] as const] : [];
  });
  return wordsFor(trialInputs, { recipe: TUNED_RECIPE, ...Object.fromEntries(typed) });
}

/** Parts and the world have options of their own; everything else is a setting. */
export function trainWords(words: readonly string[], values: Readonly<Record<string, string>>): string[] {
  const found = Object.entries(values).flatMap(([name, value]) => {
    if (["credit", "strategy", "objective", "preset", "reward", "model"].includes(name)) return [`--${name}`, value];
    return name.startsWith("env.")
      ? ["--env-set", `${name.slice("env.".length)}=${value}`]
      : ["--set", `${name}=${value}`];
  });
  return ["train", ...words, ...found];
}
