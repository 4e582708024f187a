/** The task in the words of the prompt. */
const PHRASES = ["Your task is to:", "Your task is:", "Your current task is:", "Your question:"];

/** The rest of the line after the first phrase that has one, over the texts in order; undefined where none has. */
export function extractTaskDescription(...texts: readonly (string | undefined)[]): string | undefined {
  for (const text of texts) {
    for (const phrase of PHRASES) {
      const match = new RegExp(`${phrase}([^\n]*)`, "gi");
      for (const [, rest = ""] of (text ?? "").matchAll(match)) {
        const task = rest.replace(/\s+/g, " ").trim();
        if (task !== "") return task;
      }
    }
  }
  return undefined;
}
