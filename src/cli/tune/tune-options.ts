/** From the command line to what a tune is asked for, and back to a line that trains. */
import { resolve } from "node:path";
import { namesFile, splitName } from "../../base/parts/part.ts";
import { TUNED_RECIPE, type TuneOptions } from "../../run/tune.ts";
import type { Invocation } from "../command.ts";
import { maybeCount } from "../model/open-given.ts";
import { givenValues, parseOptionTexts } from "../play/world-options.ts";
import { givenRewards } from "../train/given-rewards.ts";
import { typedPath } from "../typed-command.ts";
import { usageError } from "../parse.ts";

/** Options that `limbeck train` takes with the same meaning. */
const TRAINED = ["recipe", "credit", "strategy", "objective", "preset", "env", "env-set", "model"] as const;
const TRAINED_TOO = ["reward", "reward-set", "rewards", "set"] as const;

export async function tuneOptions(
  invocation: Invocation,
): Promise<TuneOptions & { readonly jobs?: number | undefined }> {
  const { text } = invocation;
  const model = text("model");
  return {
    recipe: text("recipe"),
    credit: text("credit"),
    strategy: text("strategy"),
    objective: text("objective"),
    preset: text("preset"),
    settings: Object.fromEntries(parseOptionTexts(invocation, "set")),
    reward: await givenRewards(invocation),
    env: text("env"),
    envOptions: givenValues(invocation, "env-set"),
    model: model === undefined ? undefined : resolve(invocation.io.cwd, model),
    over: givenOver(invocation),
    trials: maybeCount(invocation, "trials", 2),
    seeds: maybeCount(invocation, "seeds"),
    budget: text("budget"),
    validationTasks: maybeCount(invocation, "validation-tasks"),
    threads: maybeCount(invocation, "threads"),
    jobs: maybeCount(invocation, "jobs"),
    words: typedWords(invocation),
  };
}

/** --over NAME=A,B,C, or a name alone. */
function givenOver(invocation: Invocation): NonNullable<TuneOptions["over"]> {
  const given = invocation.texts("over").map((one) => {
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

/** What was typed and a training takes too, word for word; files by their paths. */
function typedWords({ texts, io }: Invocation): string[] {
  const named = texts("recipe").length === 0 ? ["--recipe", TUNED_RECIPE] : [];
  const typed = [...TRAINED, ...TRAINED_TOO].flatMap((option) =>
    texts(option).flatMap((value) => [
      `--${option}`,
      namesFile(value) && value.includes("#") ? typedPath(splitName(value).file, io.cwd) : value,
    ]),
  );
  return [...named, ...typed];
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
