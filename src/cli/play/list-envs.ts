/** The environments for a person or a program: all of them in short, or one in full. */
import { errorCode, type DeepTable } from "../../base/index.ts";
import { allowedValues, defaultText } from "../../base/options.ts";
import { envs, getWorld, type Env, type World, type WorldOptions } from "../../env/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printTable } from "../look/table.ts";
import { padEnd } from "../look/text-width.ts";
import { formatCount } from "../look/units.ts";
import { givenValues } from "./world-options.ts";

interface Description {
  readonly id: string;
  readonly world: World;
  /** Undefined where the world needs options to be built. */
  readonly env: Env | undefined;
  readonly needs: string | undefined;
}

export async function listEnvs(invocation: Invocation): Promise<number> {
  const [id] = invocation.positionals;
  const ids = id === undefined ? Object.keys(envs) : [id];
  const described: Description[] = [];
  for (const name of ids) described.push(await describe(name, id === undefined ? {} : givenValues(invocation, "set")));
  if (invocation.json) for (const entry of described) invocation.printJson(asData(entry));
  else if (id === undefined) printAll(invocation, described);
  else for (const entry of described) printOne(invocation, entry);
  return EXIT.done;
}

async function describe(id: string, options: WorldOptions): Promise<Description> {
  const world = await getWorld(id);
  try {
    return { id, world, env: await world.create(options), needs: undefined };
  } catch (error) {
    const unset = errorCode(error) === "bad-options" && Object.keys(options).length === 0;
    if (!unset) throw error;
    return { id, world, env: undefined, needs: error instanceof Error ? error.message : String(error) };
  }
}

function asData({ id, world, env, needs }: Description): object {
  const sizes = env && Object.entries(env.splits).map(([split, size]) => [split, Number.isFinite(size) ? size : null]);
  return {
    id,
    summary: world.info.meaning,
    splits: sizes === undefined ? null : Object.fromEntries(sizes),
    maxSteps: env?.maxSteps ?? null,
    options: Object.fromEntries(Object.entries(world.options).map(([name, spec]) => [name, helpOf(spec)])),
    demonstrators: Object.keys(world.demonstrators ?? {}),
    parts: world.parts ?? {},
    generates: world.generate !== undefined,
    ...(needs === undefined ? {} : { needs }),
  };
}

function printParts({ print, style }: Invocation, { parts = {} }: World): void {
  const names = Object.entries(parts);
  if (names.length === 0) return;
  print();
  print(style.dim("judged apart, for plans of rewards (world-part):"));
  for (const [name, meaning] of names) print(`  ${style.cyan(padEnd(cleanLine(name), 24))} ${cleanLine(meaning)}`);
}

function helpOf(spec: DeepTable[string]): string {
  return `${spec.meaning}; ${allowedValues(spec)}. Default: ${defaultText(spec.default)}`;
}

function sizesOf(env: Env | undefined): string {
  if (env === undefined) return "needs options";
  const size = (count: number): string => (Number.isFinite(count) ? formatCount(count) : "∞");
  return Object.entries(env.splits)
    .map(([split, count]) => `${cleanLine(split)} ${size(count)}`)
    .join(", ");
}

function printAll(invocation: Invocation, described: readonly Description[]): void {
  const { style } = invocation;
  printTable(
    invocation,
    [{ title: "environment", paint: (padded) => style.cyan(padded) }, "tasks", "what it is"],
    described.map(({ id, world, env }) => [id, sizesOf(env), world.info.meaning]),
  );
  invocation.print();
  invocation.print(style.dim("One in full: limbeck envs ID. Try one: limbeck play --env ID"));
}

function printOne(invocation: Invocation, { id, world, env, needs }: Description): void {
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
    invocation.print(`  ${style.cyan(padEnd(`--set ${name}=…`, 24))} ${cleanLine(helpOf(spec))}`);
  }
  printParts(invocation, world);
}
