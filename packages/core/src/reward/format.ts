/** Responses in the asked form: tagged parts in order and nothing beside them, and actions the world understood. */
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { responseText } from "./response.ts";
import { defineReward, type Award } from "./reward.ts";

export const format = defineReward({
  id: "format",
  info: {
    title: "Format",
    meaning:
      "Whether responses keep the asked tags in order with nothing beside them, and whether the world understood them.",
    paper: "Common practice since DeepSeek-R1, arXiv 2501.12948",
    confidence: "practice",
    formula: [
      "step: 1 where the text is <a>...</a> <b>...</b> in order with blanks between, else 0",
      "R = mean over steps, or their least with everyStep",
      "part valid: share of steps the world understood",
    ],
    departures: [
      "A tag that stands inside another one breaks the form, so that text cannot smuggle in a second answer.",
    ],
  },
  options: {
    tags: option.list(["think", "action"], { kind: "text", word: true }, "tags in order; none: only validity counts"),
    everyStep: option.flag(false, "one step out of form costs everything"),
  },
  score: (batch, options) => ({ awards: batch.map((trajectory) => formatAwards(trajectory, options)) }),
});

function formatAwards(
  { steps }: Trajectory,
  { tags, everyStep }: { readonly tags: readonly string[]; readonly everyStep: boolean },
): Award[] {
  if (steps.length === 0) return [{ score: unscored("it has no steps") }];
  const own = steps.map((step) => (inForm(step, tags) ? 1 : 0));
  const right = own.reduce<number>((total, value) => total + value, 0);
  const valid = steps.filter((step) => step.valid).length / steps.length;
  const whole = everyStep ? Number(right === steps.length) : right / steps.length;
  return [
    { score: scored(whole) },
    { part: "valid", score: scored(valid) },
    ...steps.map(({ index }, at) => ({ score: scored(own[at] as number), step: index })),
  ];
}

function inForm(step: Step, tags: readonly string[]): boolean {
  if (tags.length === 0) return step.valid;
  let rest = responseText(step).trim();
  for (const tag of tags) {
    const [open, close] = [`<${tag}>`, `</${tag}>`];
    const end = rest.indexOf(close);
    if (!rest.startsWith(open) || end < 0) return false;
    const inside = rest.slice(open.length, end);
    if (tags.some((other) => inside.includes(`<${other}>`) || inside.includes(`</${other}>`))) return false;
    rest = rest.slice(end + close.length).trim();
  }
  return rest === "";
}
