/** Scripted writers. They see the note, its score and what the reader says, never the reader's taste. */
import type { Demonstrator } from "limbeck-core/env/expert";
import { readWording } from "limbeck-core/env/wording";
import { draftWords, LENGTHS, type Length } from "./note.ts";

export const expert: Demonstrator = {
  id: "expert",
  summary: "Begins as such readers like it, does what the reader says, and stops at the full score.",
  start: ({ goal }) => writer(goal, true),
};

export const restless: Demonstrator = {
  id: "restless",
  summary: "Does what the reader says, also where it need not be done, and never stops of itself before the post goes.",
  start: ({ goal }) => writer(goal, false),
};

function writer(goal: string, stops: boolean): ReturnType<Demonstrator["start"]> {
  const { readers } = draftWords();
  const [, usual = "middle"] = Object.entries(readers).find(([manner]) => goal.includes(` a ${manner} `)) ?? [];
  const lengths = new Map<string, Length>();
  return {
    next: ({ action, observation }) => {
      notice(lengths, action, observation);
      const score = /^Score (\d\.\d\d)\. The reader: (.*)$/m.exec(observation);
      if (score === null) return `draft ${usual}`;
      const [, quality = "", said = ""] = score;
      return stops && quality === "1.00" ? "stop" : revise(lengths, said);
    },
  };
}

/** Which lengths the lines have now, whether this demonstrator chose the action or not. */
function notice(lengths: Map<string, Length>, action: string | undefined, observation: string): void {
  const [first = "", length] = (action ?? "").split(" ") as [string?, Length?];
  if (length === undefined || !LENGTHS.includes(length)) return;
  const lines = [...observation.matchAll(/^(\w+): /gm)].map(([, line = ""]) => line);
  for (const line of first === "draft" ? lines : [first]) lengths.set(line, length);
}

/** One step shorter or longer, as the reader says; some other line where it says nothing of any. */
function revise(lengths: ReadonlyMap<string, Length>, said: string): string {
  const { tooLong, tooShort } = draftWords();
  const line = (wordings: readonly string[]): string | undefined =>
    wordings.map((wording) => readWording(wording, said)?.["line"]).find((found) => found !== undefined);
  const [long, short] = [line(tooLong)?.toLowerCase(), line(tooShort)?.toLowerCase()];
  const [first = "", current = "middle"] = [...lengths][0] ?? [];
  const named = long ?? short ?? first;
  const at = LENGTHS.indexOf(lengths.get(named) ?? current);
  const to = LENGTHS[long !== undefined ? at - 1 : at + 1] ?? "middle";
  return `${named} ${to}`;
}
