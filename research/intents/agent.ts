/** A reader of logs as an agent: its lines from the prompt, its suggestions as the answer. */
import { defineAgent } from "limbeck/search";
import { createReader, type Reader } from "./reader.ts";

const LINE = /^\d+\. (.+?) (Oslo|Kim|Bergen|Lee|the lamp|Noor|the shop|Turin)$/gm;

export function intentAgent(reader: Reader) {
  return defineAgent({
    info: {
      title: `Reader: ${reader}`,
      meaning: "Suggests what somebody at a screen wants, from what it has in sight.",
    },
    create: () => {
      const read = createReader(reader, 1);
      const answer = (goal: string): string => {
        const lines = [...goal.matchAll(LINE)].map(([, event = "", matter = ""]) => ({ event, matter }));
        return read(lines).map(({ line, intent, matter }) => `[${line}] ${intent}: ${matter}`).join("\n") || "-"; // prettier-ignore
      };
      return { id: reader, summary: "Reads a log.", start: ({ goal }) => ({ next: () => answer(goal) }) };
    },
  });
}
