/** `limbeck skills extract`: from stored trajectories into the library. */
import { join } from "node:path";
import { lookUp, replaceFile, withoutUndefined } from "../../base/index.ts";
import type { Evidence } from "../../record/summary/summary.ts";
import { withShownOutcomes } from "../../record/summary/with-outcomes.ts";
import {
  addSkills,
  buildProtocol,
  extractSkills,
  protocolText,
  type Extraction,
  type Protocol,
} from "../../skill/extract/index.ts";
import { restsOn } from "../../skill/extract/rests-on.ts";
import type { NewSkill } from "../../skill/library/index.ts";
import { createWriterAnalyst } from "../../skill/writer/writer-analyst.ts";
import { openAnalyst } from "../../skill/open-analyst.ts";
import type { Writer } from "../../skill/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { givenWriter } from "../given-writer.ts";
import { cleanLine, cleanLines } from "../look/clean-text.ts";
import { formatDuration, plural } from "../look/units.ts";
import { maybeCount } from "../model/open-given.ts";
import { givenBy, givenLibrary, givenWhy } from "./open-given.ts";
import { countedWriter } from "../../update/context.ts";
import { storedProtocol } from "./rollout-skills.ts";
import { storedTrajectories } from "./stored-trajectories.ts";

export async function runExtract(invocation: Invocation): Promise<number> {
  const writer = await givenWriter(invocation);
  try {
    return await extractBy(invocation, writer);
  } finally {
    await writer?.close?.();
  }
}

async function extractBy(invocation: Invocation, writer: Writer | undefined): Promise<number> {
  const started = invocation.io.now();
  const library = givenLibrary(invocation);
  const written: Record<string, number> = {};
  const analyst =
    writer === undefined
      ? await openAnalyst(invocation.text("analyst") ?? "statistics", invocation.io.env, { concurrency: 8 })
      : createWriterAnalyst(countedWriter(writer, written));
  const { trajectories: stored, runs } = await storedTrajectories(invocation);
  const { trajectories } = withShownOutcomes(stored, givenSignals(invocation));
  const extraction = await extractSkills(trajectories, {
    analyst,
    ...withoutUndefined({ leastTasks: maybeCount(invocation, "least") }),
    runOf: ({ id }) => runs.get(id),
    signal: invocation.io.signal,
  });
  const act = { by: givenBy(invocation), action: "extracted", ...givenWhy(invocation) };
  const skills = await withGround(extraction.skills, trajectories);
  const dry = invocation.flag("dry-run");
  const added = dry
    ? skills.map((skill) => ({ name: skill.name, outcome: "added" as const, skill }))
    : await addSkills(library, skills, act);
  if (!dry) await library.list();
  const protocol = invocation.flag("protocol") && !dry ? await writeProtocol(library.root, trajectories) : undefined;
  for (const { name, outcome, skill } of added) {
    const { evidence, ...rest } = skill;
    if (invocation.json) invocation.printJson({ event: "skill", ...rest, links: evidence.length, name, outcome });
    else {
      invocation.print(`${outcome.padEnd(6)} ${skill.status.padEnd(11)} ${name}`);
      for (const line of cleanLines(skill.text)) invocation.print(`       ${line}`);
      for (const concern of skill.concerns ?? []) invocation.print(`       ! ${cleanLine(concern)}`);
    }
  }
  end(invocation, extraction, { written, protocol, durationMs: Math.round(invocation.io.now() - started) });
  return EXIT.done;
}

const SIGNALS: Readonly<Record<string, readonly Evidence[]>> = {
  tests: ["tests"],
  commits: ["commits"],
  words: ["next message"],
  none: [],
};

/** What tells how a session ended where nobody said it. */
export function givenSignals(invocation: Invocation): Evidence[] {
  const words = (invocation.text("signals") ?? "tests,commits").split(",");
  return words.flatMap((word) => lookUp(SIGNALS, word.trim(), "signal"));
}

/** With what each rests on, as it is now. */
export async function withGround(
  skills: readonly NewSkill[],
  trajectories: readonly Trajectory[],
): Promise<NewSkill[]> {
  const byId = new Map(trajectories.map((trajectory) => [trajectory.id, trajectory]));
  const at = new Date().toISOString();
  return await Promise.all(
    skills.map(async (skill) => {
      const evidence = skill.evidence.flatMap(({ trajectory }) => byId.get(trajectory) ?? []);
      const ground = await restsOn(skill, evidence, at);
      return ground === undefined ? skill : { ...skill, restsOn: ground };
    }),
  );
}

async function writeProtocol(root: string, trajectories: readonly Trajectory[]): Promise<Protocol> {
  const before = await storedProtocol(root);
  const protocol = buildProtocol(trajectories, before);
  for (const [name, text] of [
    ["protocol.json", `${JSON.stringify(protocol, null, 2)}\n`],
    ["PROTOCOL.md", protocolText(protocol)],
  ] as const) {
    await replaceFile(join(root, name), text);
  }
  return protocol;
}

interface Work {
  /** How often whom `--ask` names wrote, and how often the statistics in its place; empty without it. */
  readonly written: Readonly<Record<string, number>>;
  readonly protocol: Protocol | undefined;
  readonly durationMs: number;
}

function end(invocation: Invocation, { skills, ...counts }: Extraction, { written, protocol, durationMs }: Work): void {
  const { "writer/model": model = 0, "writer/template": template = 0, "writer/nobody": nobody = 0 } = written;
  const wrote = model + template + nobody;
  if (invocation.json) {
    invocation.printJson({
      event: "end",
      ...counts,
      skills: skills.length,
      ...(wrote === 0 ? {} : { written: { model, template, nobody } }),
      ...(protocol === undefined ? {} : { protocol: { round: protocol.round, branches: protocol.branches.length } }),
      durationMs,
    });
    return;
  }
  const { episodes, succeeded, yielding, nothing, shapes } = counts;
  invocation.print();
  invocation.print(
    `${plural(episodes, "episode")}, ${succeeded} succeeded, ${plural(shapes, "kind")} of goal; ${plural(skills.length, "skill")} from ${plural(yielding, "episode")} (${formatDuration(durationMs)}).`,
  );
  if (wrote > 0)
    invocation.print(`  ${model} of ${plural(wrote, "writing")} were usable; the statistics wrote ${template}.`);
  for (const [why, count] of Object.entries(nothing)) invocation.print(`  ${count} gave nothing: ${cleanLine(why)}`);
}
