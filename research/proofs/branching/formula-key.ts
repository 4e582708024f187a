/** When two formulas are the same solution: as functions of their numbers they are equal, however they are written. */
import { createRng } from "limbeck";

/** The formula between answer tags with every number replaced by an odd one of its own, worked out. */
export function formulaKey(action: string): string {
  const text = /<answer>(.*?)<\/answer>/s.exec(action)?.[1] ?? action;
  const tokens = text.match(/\d+|[-+*/()]/g) ?? [];
  let at = 0;
  const factor = (): number => {
    const token = tokens[at++] ?? "0";
    if (token !== "(") return 1 + createRng(`number ${token}`).float();
    const inner = sum();
    at += 1;
    return inner;
  };
  const product = (): number => {
    let value = factor();
    while (tokens[at] === "*" || tokens[at] === "/") value = tokens[at++] === "*" ? value * factor() : value / factor();
    return value;
  };
  const sum = (): number => {
    let value = product();
    while (tokens[at] === "+" || tokens[at] === "-")
      value = tokens[at++] === "+" ? value + product() : value - product();
    return value;
  };
  return sum().toPrecision(9);
}
