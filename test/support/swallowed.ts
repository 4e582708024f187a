/** Errors that a program swallows without a word of why: found by their form, line by line. */

/** A rejected promise that becomes a plain value, an error event that nobody hears. */
const QUIET =
  /\.catch\(\s*\((?:_\w*)?\)\s*=>\s*(?:undefined|null|false|true|\[\]|\{\s*\}|\(\{\}\)|""|0)\s*\)|\bon(?:ce)?\("error", \(\) => (?:undefined|\{\s*\})\)/u;
const CATCH = /\bcatch\s*(?:\((\w+)(?:: unknown)?\)\s*)?\{(.*)$/u;
/** Reading what may be nothing of the kind: the value in the place of the error is the point. */
const PARSES = /\bJSON\.parse\(|new URL\(|decodeURIComponent\(/u;
const COMMENT = /(?:^|\s)\/\/|^\s*\/?\*|\*\/\s*$/u;

/** `12: text` for each place that has no comment beside it, above it or, in a block, inside it. */
export function swallowedErrors(source: string): string[] {
  const lines = source.split("\n");
  const isTold = (from: number, to: number): boolean =>
    lines.slice(Math.max(0, from), to).some((line) => COMMENT.test(line));
  const found: string[] = [];
  let told = -2;
  lines.forEach((line, at) => {
    if (QUIET.test(line)) {
      // One comment stands for the lines right below it that do the same.
      if (isTold(at - 2, at + 1) || told === at - 1) told = at;
      else found.push(`${at + 1}: ${line.trim()}`);
    }
    const block = CATCH.exec(line);
    if (block === null || COMMENT.test(line)) return;
    const indent = /^\s*/u.exec(line)?.[0] ?? "";
    const end = lines.findIndex((other, below) => below > at && other.startsWith(`${indent}}`));
    const body = [block[2] ?? "", ...lines.slice(at + 1, Math.max(at + 1, end))].join("\n");
    const [, name] = block;
    const isUsed = name !== undefined && new RegExp(String.raw`\b${name}\b`, "u").test(body);
    if (isUsed || /\bthrow\b/u.test(body) || isTold(at + 1, end)) return;
    const begin = lines.findLastIndex((other, above) => above < at && other.startsWith(`${indent}try`));
    if (PARSES.test(lines.slice(begin, at).join("\n")) || isTold(begin - 2, begin)) return;
    found.push(`${at + 1}: ${line.trim()}`);
  });
  return found;
}
