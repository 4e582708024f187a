/** The lines of an offer as a patch for a file that a person named. The file itself stays as it is. */
import { EngineError } from "limbeck-base/base/errors";

const IMPORT = 'import { createRecorder } from "limbeck-recorder";';

/** A patch of the whole file, as `git apply` takes it. `path` is as the patch names it. */
export function recordingPatch(path: string, text: string, agent: string): string {
  if (text.includes("limbeck-recorder"))
    throw new EngineError("bad-input", `${JSON.stringify(path)} uses limbeck-recorder already; nothing is to be done.`);
  const lines = text.replace(/\n$/, "").split("\n");
  const changed = lines.map(recorded);
  if (lines.every((line, at) => line === changed[at])) {
    const way = "Name the file that makes the model or the client, or write the two lines by hand";
    throw new EngineError(
      "bad-input",
      `${JSON.stringify(path)} has no line "model: …," and makes no client of OpenAI or Anthropic. ${way}.`,
    );
  }
  const last = lines.findLastIndex((line) => /^import\b.*["'];?\s*$|^\} from ["'].*["'];?\s*$/.test(line));
  const added = [IMPORT, `const recorder = createRecorder({ agent: ${JSON.stringify(agent)} });`];
  const body = lines.flatMap((line, at) => {
    const own = line === changed[at] ? [` ${line}`] : [`-${line}`, `+${changed[at]}`];
    return at === last ? [...own, ...added.map((one) => `+${one}`)] : own;
  });
  const all = last === -1 ? [...added.map((one) => `+${one}`), ...body] : body;
  const end = text.endsWith("\n") ? [] : ["\\ No newline at end of file"];
  const head = [`--- a/${path}`, `+++ b/${path}`, `@@ -1,${lines.length} +1,${lines.length + added.length} @@`];
  return `${[...head, ...all, ...end].join("\n")}\n`;
}

/** A model in a call or an agent, and a client; what is recorded already, or is no expression on one line, stays. */
function recorded(line: string): string {
  const model = /^(\s*model:\s*)([^\s,{][^,]*|[\w.]+\([^()]*\))(,?\s*)$/.exec(line);
  if (model?.[2] !== undefined && /[\w)]$/.test(model[2])) return `${model[1]}recorder.model(${model[2]})${model[3]}`;
  return line
    .replace(/\bnew (OpenAI|Anthropic)\(\s*\)/, "new $1({ fetch: recorder.fetch })")
    .replace(/\bnew (OpenAI|Anthropic)\(\{(?!\s*fetch\b)/, "new $1({ fetch: recorder.fetch,");
}
