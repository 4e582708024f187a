/** `docs/lookup/generated/credit-providers.md`: who supplies what credit methods need beyond outcomes. */
import { optionRows } from "../../packages/limbeck/src/cli/methods/all-methods.ts";
import { needs } from "../../packages/core/src/credit/needs.ts";
import type { CreditMethod } from "../../packages/core/src/credit/credit.ts";
import { allCredits } from "../../packages/core/src/credit/registry.ts";
import { fittingStrategy } from "../../packages/core/src/recipe/settings.ts";
import type { Provider } from "../../packages/core/src/update/context.ts";
import { optionTable } from "./entry-section.ts";
import { GENERATED, table } from "./markdown.ts";

export function providersPage(providers: Readonly<Record<string, Provider>>): string {
  return `${[
    GENERATED,
    "",
    "# What credit methods need, and who supplies it",
    "",
    "A credit method states its needs; `limbeck train --recipe grpo --credit NAME` picks the providers by them, so that nothing else has to be said. Their options are settings, `--set continuations.count=2`; `limbeck train --credit NAME --settings` lists them. What a provider plays, samples or scores is part of the run's account (environment steps, sampled tokens, tokens read or scored), so that methods can be compared at equal cost.",
    "",
    "Where a world cannot supply something, the training stops before the first update is learned from, and says what is missing and what to do: a world without tools has no reference calls, a world without a demonstrator no reference answers. In worlds of errands the reference answer is the command with which the demonstrator finishes the task, and the privileged solution is its list of commands.",
    "",
    "## Providers",
    "",
    table(
      ["provider", "supplies", "what it does", "cost", "for"],
      Object.entries(providers).map(([id, { info, supplies }]) => [
        `\`${id}\``,
        supplies.map((need) => `\`${needs[need].field}\``).join(", "),
        info.meaning,
        info.cost,
        methodsWith(supplies).join(", "),
      ]),
    ),
    ...Object.entries(providers).flatMap(([id, provider]) => detailLines(id, provider)),
    "",
    "## Rollout strategies that fit",
    "",
    "Methods that compare branches get a strategy that makes them, unless `--strategy` says otherwise. Reflections and corrections come from the world's demonstrator, which speaks only where the strategy asks; `limbeck train` refuses such a strategy in a world that has none.",
    "",
    table(
      ["credit", "strategy", "options"],
      Object.keys(allCredits)
        .filter((credit) => fittingStrategy(credit).name !== "group")
        .map((credit) => {
          const { name, options } = fittingStrategy(credit);
          const told = Object.entries(options).map(([option, value]) => `\`${option}=${String(value)}\``);
          return [`\`${credit}\``, `\`${name}\``, told.join(", ")];
        }),
    ),
    "",
    "## State that lives on",
    "",
    "`rapo` carries the deviation of rewards and its counts of tasks and updates from update to update; they are part of the checkpoint. Strategies that remember something (`replay`, `archive`, `prune`, `partial`, `allocate`, `latr`) do the same.",
  ].join("\n")}\n`;
}

function methodsWith(supplies: Provider["supplies"]): string[] {
  return Object.entries<CreditMethod>(allCredits)
    .filter(([, credit]) =>
      supplies.some((need) => credit.needs.includes(need) || ("wants" in credit && need in (credit.mayNeed ?? {}))),
    )
    .map(([id]) => `\`${id}\``);
}

function detailLines(id: string, { info, options }: Provider): string[] {
  const settings = optionTable({ options: optionRows(options) }, `${id}.`, "setting");
  if (settings.length === 0 && info.departures.length === 0) return [];
  return [
    "",
    `### ${info.title} (\`${id}\`)`,
    ...(info.departures.length === 0 ? [] : ["", ...info.departures.map((text) => `- ${text}`)]),
    ...settings.flatMap((lines) => ["", lines]),
  ];
}
