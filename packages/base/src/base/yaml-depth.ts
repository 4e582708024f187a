/** YAML that is nested so deeply that its parser overflows the stack or takes minutes. */

const DEEPEST = 50;
/** "- - - -": each sign opens a level. */
const DEEP = new RegExp(String.raw`(?:[-?:][ \t]+|[[{]\s*){${DEEPEST}}`);

export function isTooDeep(yaml: string): boolean {
  return DEEP.test(yaml) || mostOpen(yaml) > DEEPEST;
}

/** How many brackets are open at once, whatever stands between them: `{"a":{"a":`. */
function mostOpen(yaml: string): number {
  let [open, most] = [0, 0];
  for (const [bracket] of yaml.matchAll(/[[\]{}]/g)) {
    open = bracket === "[" || bracket === "{" ? open + 1 : Math.max(0, open - 1);
    most = Math.max(most, open);
  }
  return most;
}
