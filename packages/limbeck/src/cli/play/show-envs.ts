/** The environments for a person: all of them in short, or one in full. */
import { optionHelp, type DescribedWorld } from "limbeck-worlds/describe-worlds";
import type { Env } from "limbeck-core/env/env";
import type { World } from "limbeck-core/env/world";
import type { Invocation } from "../command.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { printTable } from "../look/table.ts";
import { padEnd } from "../look/text-width.ts";
import { formatCount } from "limbeck-base/base/units";

export function showEnvs(invocation: Invocation) {
  return {
    all: (worlds: readonly DescribedWorld[]) => printAll(invocation, worlds),
    one: (world: DescribedWorld) => printOne(invocation, world),
  };
}

function printParts({ print, style }: Invocation, { parts = {} }: World): void {
  const names = Object.entries(parts);
  if (names.length === 0) return;
  print();
  print(style.dim("judged apart, for plans of rewards (world-part):"));
  for (const [name, meaning] of names) print(`  ${style.cyan(padEnd(cleanLine(name), 24))} ${cleanLine(meaning)}`);
}

function sizesOf(env: Env | undefined): string {
  if (env === undefined) return "needs options";
  const size = (count: number): string => (Number.isFinite(count) ? formatCount(count) : "∞");
  return Object.entries(env.splits)
    .map(([split, count]) => `${cleanLine(split)} ${size(count)}`)
    .join(", ");
}

function printAll(invocation: Invocation, described: readonly DescribedWorld[]): void {
  const { style } = invocation;
  printTable(
    invocation,
    [{ title: "environment", paint: (padded) => style.cyan(padded) }, "tasks", "what it is"],
    described.map(({ id, world, env }) => [id, sizesOf(env), world.info.meaning]),
  );
  invocation.print();
  invocation.print(style.dim("One in full: limbeck envs ID. Try one: limbeck play --env ID"));
}

function printOne(invocation: Invocation, { id, world, env, needs }: DescribedWorld): void {
  const { style } = invocation;
  invocation.print(`${style.bold(id)}  ${cleanLine(world.info.meaning)}`);
  const facts: [string, string][] = [
    ["tasks", sizesOf(env)],
    ["max steps", env === undefined ? "" : String(env.maxSteps)],
    [
      "experts",
      Object.values(world.demonstrators ?? {})
        .map((one) => cleanLine(one.id))
        .join(", "),
    ],
    ["generates", world.generate === undefined ? "" : "task files: limbeck generate"],
    ["needs", cleanLine(needs ?? "")],
  ];
  for (const [name, value] of facts) if (value !== "") invocation.print(`${style.dim(padEnd(name, 10))} ${value}`);
  invocation.print();
  for (const [name, spec] of Object.entries(world.options)) {
    invocation.print(`  ${style.cyan(padEnd(`--set ${name}=…`, 24))} ${cleanLine(optionHelp(spec))}`);
  }
  printParts(invocation, world);
}
