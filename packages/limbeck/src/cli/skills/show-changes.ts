/** What happened to skills of a library, for people: events as lines. */
import type { replayStored } from "limbeck-store/record/replay/replay";
import type { Extraction } from "limbeck-core/skill/extract/extract";
import type { Choice } from "limbeck-recorder/selection/select";
import type { LibrarySkill } from "limbeck-core/skill/library/library-skill";
import type { Invocation } from "../command.ts";
import { cleanLine, cleanLines } from "limbeck-base/base/clean-text";
import { formatDuration, plural } from "limbeck-base/base/units";

export function showChoice({ print }: Invocation) {
  return {
    event: ({ text, skills }: Choice & { readonly text: string }) => {
      for (const line of skills.length === 0 ? ["No skill in use fits."] : text.split("\n")) print(cleanLine(line));
    },
  };
}

export function showReport({ print }: Invocation) {
  return {
    event: ({ name, statistics }: LibrarySkill) =>
      print(`${name}: ${statistics.successes} of ${plural(statistics.uses, "use")} succeeded.`),
  };
}

type Change = Record<"event" | "name" | "decision" | "why" | "path", string>;

export function showTended({ print }: Invocation) {
  return {
    event: ({ event, name, decision, why }: Change) => {
      if (event === "change") print(`${name}: ${decision}, ${why}.`);
    },
    result: ({ changed }: { readonly changed: number }) => print(`${plural(changed, "skill")} changed.`),
  };
}

export function showChecked({ print }: Invocation, { dryRun }: { readonly dryRun: boolean }) {
  return {
    event: ({ event, name, decision, why, path }: Change) => {
      if (event === "file") print(`${dryRun ? "would take back" : "taken back"}: ${cleanLine(path)}`);
      if (event !== "change") return;
      if (decision === "keep") print(`${name}: still holds, as things are today.`);
      else print(`${name}: ${dryRun ? "would retire" : "retired"}, ${why}.`);
    },
    result: ({ skills, changed, left }: Record<"skills" | "changed" | "left", number>) => {
      const more = left > 0 ? `; ${left} out of use or resting on nothing that can be checked` : "";
      print(`${plural(skills, "skill")} checked, ${changed} changed${more}.`);
    },
  };
}

interface Extracted extends Pick<LibrarySkill, "name" | "status" | "text" | "concerns"> {
  readonly event: "skill";
  readonly outcome: string;
}
type ExtractEnd = Omit<Extraction, "skills"> &
  Record<"skills" | "durationMs", number> & {
    readonly event: "end";
    readonly written?: Record<"model" | "template" | "nobody", number>;
  };

export function showExtracted({ print }: Invocation) {
  return {
    event: (one: Extracted | ExtractEnd) => {
      if (one.event === "skill") {
        print(`${one.outcome.padEnd(6)} ${one.status.padEnd(11)} ${one.name}`);
        for (const line of cleanLines(one.text)) print(`       ${line}`);
        for (const concern of one.concerns ?? []) print(`       ! ${cleanLine(concern)}`);
        return;
      }
      const { episodes, succeeded, yielding, nothing, shapes, skills, written, durationMs } = one;
      print();
      print(
        `${plural(episodes, "episode")}, ${succeeded} succeeded, ${plural(shapes, "kind")} of goal; ${plural(skills, "skill")} from ${plural(yielding, "episode")} (${formatDuration(durationMs)}).`,
      );
      if (written !== undefined) {
        const { model, template, nobody } = written;
        const all = plural(model + template + nobody, "writing");
        print(`  ${model} of ${all} were usable; the statistics wrote ${template}.`);
      }
      for (const [why, count] of Object.entries(nothing)) print(`  ${count} gave nothing: ${cleanLine(why)}`);
    },
  };
}

export function showAccepted({ print }: Invocation) {
  return {
    event: ({ name, outcome, status }: Extracted) =>
      print(
        `${outcome.padEnd(6)} ${status.padEnd(11)} ${name}. Not installed: "limbeck lift ${name}" proves it, then "limbeck skills install ${name} --for AGENT" shows a diff and asks.`,
      ),
  };
}

export function showReplayed({ print }: Invocation, { out = "" }: { readonly out: string | undefined }) {
  return {
    event: ({ tasks, left, path = "" }: Awaited<ReturnType<typeof replayStored>>) => {
      print(tasks === 0 ? "No session can be tried again." : `${plural(tasks, "task")} in ${cleanLine(path)}.`);
      for (const [why, count] of Object.entries(left)) print(`  ${count} left out: ${cleanLine(why)}`);
      if (tasks > 0) print(`  next: limbeck lift --agent "YOUR AGENT {prompt}" --dataset ${cleanLine(out)}`);
    },
  };
}
