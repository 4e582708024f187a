/** A registry of experts as the policy reads it, and what makes one impossible. */
import { EngineError } from "../base/index.ts";
import type { Expert } from "./expert.ts";

const NAME = /^[A-Za-z][A-Za-z0-9]*(?:[ -][A-Za-z0-9]+)*$/;
const LONGEST_NAME = 60;

/** The same experts, or an error that names the one that cannot be called. */
export function checkExperts(experts: readonly Expert[]): readonly Expert[] {
  if (experts.length === 0) {
    throw new EngineError("no-experts", "There are no experts to ask; give at least one, or use the world as it is.");
  }
  const seen = new Set<string>();
  for (const { name, price } of experts) {
    if (!NAME.test(name) || name.length > LONGEST_NAME) {
      throw new EngineError(
        "bad-expert",
        `${JSON.stringify(name)} cannot be the name of an expert; allowed are letters and digits, parted by single hyphens or spaces, beginning with a letter, ${LONGEST_NAME} at most.`,
      );
    }
    if (seen.has(name))
      throw new EngineError("bad-expert", `Two experts are called "${name}"; give each its own name.`);
    if (!(Number.isFinite(price) && price >= 0)) {
      throw new EngineError("bad-expert", `The price of "${name}" is ${price}; it must be a number of at least 0.`);
    }
    seen.add(name);
  }
  return experts;
}

export interface ListOptions {
  readonly listed: readonly Expert[];
  readonly actsItself: boolean;
}

/** One line for each expert, in the order given, and what else can be done. */
export function expertLines({ listed, actsItself }: ListOptions): string {
  const lines = listed.map(({ name, price, description }) => `ask ${name} (costs ${price}): ${oneLine(description)}`);
  return ["Experts:", ...lines, actsItself ? "Or act yourself, or: stop" : "Or: stop"].join("\n");
}

/** Descriptions come from files: control characters and line breaks must not look like another expert. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}
