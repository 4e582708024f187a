/**
 * The judge against brute force. The other side shares nothing with it: fractions of plain JavaScript integers, all
 * ways to join the numbers, and JavaScript's own arithmetic for expressions whose steps stay whole.
 */
import { expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { createRng, pick, type Rng } from "limbeck-base/base/rng";
import { solve } from "./solve.ts";
import { verify, type NumberUse } from "./verify.ts";

/** Numerator, denominator and the text with every bracket written. All stay far below 2^53 for four small numbers. */
type Node = readonly [number, number, string];

const INSTANCES = tries(2_500, 10_000);

function combine([a, b, left]: Node, operator: string, [c, d, right]: Node): Node | undefined {
  const text = `(${left}${operator}${right})`;
  if (operator === "+") return [a * d + c * b, b * d, text];
  if (operator === "-") return [a * d - c * b, b * d, text];
  if (operator === "*") return [a * c, b * d, text];
  return c === 0 ? undefined : [a * d, b * c, text];
}

const hits = ([numerator, denominator]: Node, target: number): boolean => numerator === target * denominator;

/** The first expression over the numbers that reaches the target, all of them or some, as the rule says. */
function bruteForce(nodes: readonly Node[], target: number, use: NumberUse): string | undefined {
  const done = use === "any" || nodes.length === 1 ? nodes.find((node) => hits(node, target)) : undefined;
  if (done !== undefined) return done[2];
  for (let one = 0; one < nodes.length; one += 1) {
    for (let other = 0; other < nodes.length; other += 1) {
      if (one === other) continue;
      const rest = nodes.filter((_, index) => index !== one && index !== other);
      for (const operator of one < other ? "+*-/" : "-/") {
        const joined = combine(nodes[one]!, operator, nodes[other]!);
        const found = joined && bruteForce([...rest, joined], target, use);
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
}

function randomTree(numbers: readonly number[], rng: Rng): Node {
  const pool: Node[] = numbers.map((number) => [number, 1, String(number)]);
  while (pool.length > 1) {
    const [left] = pool.splice(rng.int(pool.length), 1);
    const [right] = pool.splice(rng.int(pool.length), 1);
    pool.push(combine(left!, pick(["+", "-", "*", "/"], rng)!, right!) ?? combine(left!, "+", right!)!);
  }
  return pool[0]!;
}

test(`the judge and the solver agree with brute force on ${INSTANCES} instances`, () => {
  const rng = createRng(2026);
  const seen = { solvable: 0, unsolvable: 0, guessedRight: 0, guessedWrong: 0 };
  const disagreements: unknown[] = [];
  for (let instance = 0; instance < INSTANCES; instance += 1) {
    // Mostly three numbers: an unsolvable puzzle of four costs brute force thousands of joins.
    const numbers = Array.from({ length: rng.int(5) === 0 ? 4 : 3 }, () => 1 + rng.int(12));
    const guess = randomTree(numbers, rng);
    const value = guess[0] / guess[1];
    // Every fourth instance asks for what the guess gives, where that is a fair target.
    const target = instance % 4 === 0 && Number.isInteger(value) && value >= 1 ? value : 1 + rng.int(40);
    const puzzle = { numbers, target, use: rng.int(2) === 0 ? "each" : "any" } as const;
    const nodes = numbers.map((number): Node => [number, 1, String(number)]);
    const found = bruteForce(nodes, target, puzzle.use);
    const solution = solve(puzzle);
    const agree =
      found === undefined
        ? solution === undefined
        : verify(puzzle, found).kind === "solved" && verify(puzzle, solution?.expression ?? "").kind === "solved";
    const guessedRight = hits(guess, target);
    const judged = verify(puzzle, guess[2]).kind;
    if (!agree || judged !== (guessedRight ? "solved" : "off-target")) {
      disagreements.push({ puzzle, found, solution, guess, judged });
    }
    seen[found === undefined ? "unsolvable" : "solvable"] += 1;
    seen[guessedRight ? "guessedRight" : "guessedWrong"] += 1;
  }
  expect(disagreements).toEqual([]);
  // Both sides of every comparison were met often enough to mean something.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(INSTANCES / 10);
});
