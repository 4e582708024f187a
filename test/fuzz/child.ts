/**
 * The process in which cases run: it may crash, hang or be killed. What it begins and how that ended goes to descriptor 3, one JSON
 * line each, written at once; the bytes of the case that runs lie in FOLDER/current.
 *
 *     node --import tsx test/fuzz/child.ts '{"seed":1,"folder":"/tmp/x","until":1790000000000,"sliceMs":250,"targets":{"gguf":[0,200]}}'
 */
import { mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createRng } from "../../packages/base/src/base/rng.ts";
import { EngineError } from "../../packages/base/src/base/errors.ts";
import { ERROR_CODES } from "../../packages/base/src/base/error-codes.ts";
import { HttpFailure } from "../../packages/remote/src/tinker-server/http-failure.ts";
import { mutated } from "./mutate.ts";
import { PLANTED, type Seed, type Target } from "./target.ts";
import { targets } from "./targets/index.ts";

export interface ChildPlan {
  readonly seed: number;
  readonly folder: string;
  /** Unix time in milliseconds. */
  readonly until: number;
  readonly sliceMs: number;
  /** From which case to which, by target; null for no end. */
  readonly targets: Readonly<Record<string, readonly [from: number, to: number | null]>>;
  /** One case as it is, in the place of mutations. */
  readonly replay?: { readonly target: string; readonly name: string; readonly base64: string };
}

export type ChildLine =
  | { readonly begins: string; readonly index: number; readonly name: string }
  | { readonly ends: string; readonly index: number; readonly as: "read" | "refused" }
  | { readonly fails: string; readonly index: number; readonly kind: string; readonly message: string };

/** A case may take this much more memory than there was before it. */
const MOST_GROWTH_BYTES = 512 * 1024 * 1024;

const plan = JSON.parse(readFileSync(process.argv[2] as string, "utf8")) as ChildPlan;
let now: { readonly target: string; readonly index: number; readonly bytes: Buffer } | undefined;

function say(line: ChildLine): void {
  writeSync(3, `${JSON.stringify(line)}\n`);
}

/** Gives true, so that a case can note that it failed. */
function fail(kind: string, error: unknown): true {
  // The next case begins before anybody has looked at this one.
  if (now !== undefined) writeFileSync(join(plan.folder, `failed-${now.target}-${now.index}`), now.bytes);
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  say({ fails: now?.target ?? "", index: now?.index ?? -1, kind, message: text.slice(0, 2_000) });
  return true;
}

process.on("uncaughtException", (error) => void fail("uncaught", error));
process.on("unhandledRejection", (error) => void fail("unhandled", error));

const CLEAN = [Object.prototype, Array.prototype, Function.prototype, String.prototype].map((prototype) => ({
  prototype,
  names: Reflect.ownKeys(prototype).length,
}));

function pollution(): string | undefined {
  const found = CLEAN.find(({ prototype, names }) => Reflect.ownKeys(prototype).length !== names);
  return found === undefined ? undefined : Reflect.ownKeys(found.prototype).map(String).join(" ");
}

function leak(value: unknown): string | undefined {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return PLANTED.find((secret) => text.includes(secret));
}

/** Codes of the engine; "internal" means that nobody thought of it. */
function isRefusal(error: unknown): boolean {
  if (error instanceof HttpFailure) return error.status < 500;
  return error instanceof EngineError && error.code !== "internal" && Object.hasOwn(ERROR_CODES, error.code);
}

async function one(name: string, target: Target, seed: Seed, index: number, redacts: boolean): Promise<void> {
  now = { target: name, index, bytes: seed.bytes };
  writeFileSync(join(plan.folder, "current"), seed.bytes);
  say({ begins: name, index, name: seed.name });
  const before = process.memoryUsage.rss();
  let failed = false;
  let as: "read" | "refused" = "read";
  try {
    const made = await target.run(seed, { folder: join(plan.folder, name) });
    const leaked = redacts ? leak(made) : undefined;
    if (leaked !== undefined) failed = fail("leak", `"${leaked}" stands in what was made of it.`);
  } catch (error) {
    as = "refused";
    const told = error instanceof EngineError ? JSON.stringify([error.message, error.details]) : "";
    if (!isRefusal(error)) failed = fail("error", error);
    else if (redacts && leak(told) !== undefined) failed = fail("leak", `The error tells it: ${told}`);
  }
  const polluted = pollution();
  if (polluted !== undefined) {
    fail("pollution", polluted);
    process.exit(1);
  }
  if (process.memoryUsage.rss() - before > MOST_GROWTH_BYTES) failed = fail("memory", "It grew by 512 MiB.");
  if (!failed) say({ ends: name, index, as });
}

async function open(name: string): Promise<{ target: Target & { seeds: readonly Seed[] }; redacts: boolean }> {
  const kind = targets[name];
  if (kind === undefined) throw new Error(`There is no target "${name}".`);
  const folder = join(plan.folder, name);
  mkdirSync(folder, { recursive: true });
  const target = await kind.open({ folder }).catch((error: unknown) => {
    process.stderr.write(
      `The target "${name}" cannot be opened: ${error instanceof Error ? error.stack : String(error)}\n`,
    );
    process.exit(3);
  });
  return { target, redacts: kind.redacts === true };
}

async function main(): Promise<void> {
  if (plan.replay !== undefined) {
    const { target: name, base64, name: file } = plan.replay;
    const { target, redacts } = await open(name);
    await one(name, target, { name: file, bytes: Buffer.from(base64, "base64") }, 0, redacts);
    return;
  }
  const opened = new Map<string, Awaited<ReturnType<typeof open>>>();
  const places = new Map(Object.entries(plan.targets).map(([name, [from, to]]) => [name, { next: from, to }]));
  while (places.size > 0 && Date.now() < plan.until) {
    for (const [name, place] of places) {
      const made = opened.get(name) ?? (await open(name));
      const { target, redacts } = made;
      const isJson = targets[name]?.form === "json";
      opened.set(name, made);
      const others = target.seeds.map(({ bytes }) => bytes);
      const sliceEnds = Math.min(Date.now() + plan.sliceMs, plan.until);
      while (Date.now() < sliceEnds && (place.to === null || place.next < place.to)) {
        const rng = createRng(`${plan.seed} ${name} ${place.next}`);
        // First the seeds themselves, as they are.
        const whole = target.seeds[place.next];
        const from = whole ?? target.seeds[rng.int(target.seeds.length)];
        if (from === undefined) break;
        const keeps = { keepsSecrets: redacts, isJson };
        const bytes = whole === undefined ? mutated(from.bytes, rng, others, keeps) : whole.bytes;
        await one(name, target, { name: from.name, bytes }, place.next, redacts);
        place.next += 1;
        // Servers and timers get their turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (place.to !== null && place.next >= place.to) places.delete(name);
    }
  }
  for (const { target } of opened.values()) await target.close?.();
}

await main();
process.exit(0);
