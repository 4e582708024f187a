/** YAML that is nested so deeply that its parser overflows the stack or takes minutes. */

const DEEPEST = 50;
/** "- - - -" and "[[[[": each sign opens a level. */
const DEEP = new RegExp(String.raw`(?:[-?:][ \t]+|[[{]\s*){${DEEPEST}}`);

export function isTooDeep(yaml: string): boolean {
  return DEEP.test(yaml);
}
