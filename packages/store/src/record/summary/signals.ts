/** Signs of how a session went, from what it shows: tests, commits, and the person's next message. Each is weaker than the one before. */
import type { Message } from "limbeck-base/trajectory/trajectory";
import { textOf } from "../../store/formats/chat-steps.ts";

/** Commands that run tests, of the common tools of ten languages. */
const TEST_COMMAND =
  /\b(?:(?:npm|pnpm|yarn|bun)(?: run)? test|npx (?:vitest|jest|mocha|playwright)|vitest|jest|pytest|python3? -m (?:pytest|unittest)|tox|nox|cargo (?:test|nextest)|go test|node (?:--test|(?:\S*\/)?\S*test\S*\.[cm]?[jt]s)|deno test|mvn (?:\S+ )*test|gradlew? (?:\S+ )*test|make (?:test|check)|ctest|rspec|rake test|phpunit|dotnet test|swift test|mix test)\b/;
const FAILED =
  /\b(?:[1-9]\d*) (?:failed|failing|failures?|errors?)\b|^FAIL\b|\bFAILED\b|\bTraceback \(most recent call last\)/m;
const COMMIT = /\bgit (?:-\S+ \S+ )*commit\b/;
const COMMITTED = /^\[[^\]\n]*?\b([0-9a-f]{7,40})\]/m;
const UNDONE =
  /\bgit (?:-\S+ \S+ )*(?:revert|reset --hard|reset (?:--soft |--mixed )?HEAD[~^])(?:[^\n]*?\b([0-9a-f]{7,40})\b)?/;

export function isTestCommand(call: string): boolean {
  return TEST_COMMAND.test(call);
}

/** Whether a test run passed, by the result of its call. */
export function testsPassed(result: Message): boolean {
  return !hasFailed(result) && !FAILED.test(textOf(result.content));
}

/** The importer's mark, or, without one, a text that begins as errors do. */
export function hasFailed(result: Message): boolean {
  const marked = result.extra?.["result"];
  if (typeof marked === "object" && marked !== null) return "error" in marked;
  return /^(?:Error\b|error:|Traceback|<error>)/.test(textOf(result.content).trimStart());
}

export function wasRefused(result: Message): boolean {
  const marked = result.extra?.["result"];
  return typeof marked === "object" && marked !== null && "refused" in marked;
}

/** The commit that a call made, by what git answered; an empty text where git did not name it. */
export function commitOf(call: string, result: Message): string | undefined {
  if (!COMMIT.test(call) || hasFailed(result)) return undefined;
  return COMMITTED.exec(textOf(result.content))?.[1] ?? "";
}

/** The commit that a call took back; an empty text where it names none, and means the last. */
export function undoneBy(call: string): string | undefined {
  const found = UNDONE.exec(call);
  return found === null ? undefined : (found[1] ?? "");
}

const PLEASED =
  /\b(?:thanks|thank you|thx|perfect|great|awesome|excellent|nice(?: work)?|well done|lgtm|looks good|works(?: now)?|that worked|love it|exactly|ship it)\b/i;
const DISPLEASED =
  /\b(?:wrong|incorrect|not what i|doesn'?t work|does not work|didn'?t work|still (?:fail\w*|broken|wrong|not|the same)|broken|revert|undo|roll back|that'?s not|you (?:broke|forgot|missed|ignored)|stop|no,|nope|fail(?:s|ed|ing)?|error)\b/i;

/** What the last words of the person suggest: a guess, which both kinds of words, or none, leave open. */
export function moodOf(text: string): "pleased" | "displeased" | undefined {
  const [good, bad] = [PLEASED.test(text), DISPLEASED.test(text)];
  return good === bad ? undefined : good ? "pleased" : "displeased";
}

const KINDS: readonly (readonly [string, RegExp])[] = [
  ["fix", /\b(?:fix|bug|broken|wrong|fail\w*|error|crash\w*|mend|repair|debug|issue)\b/i],
  ["test", /\b(?:tests?|coverage|spec)\b/i],
  ["review", /\b(?:review|audit|check)\b/i],
  ["refactor", /\b(?:refactor|clean ?up|rename|simplify|move|extract|migrate|upgrade|rewrite)\b/i],
  ["docs", /\b(?:docs?|documentation|readme|comment|changelog)\b/i],
  ["build", /\b(?:add|implement|create|build|make|write|support|introduce)\b/i],
  ["question", /\?|^\s*(?:what|why|how|where|who|which|explain|is|are|can|does|do)\b/i],
];

/** The kind of a task by the words of its request; by its world where it has one. */
export function taskKind(env: string, goal: string): string {
  if (env !== "session" && env !== "chat" && env !== "atif") return env;
  const opening = goal.slice(0, 300);
  return KINDS.find(([, pattern]) => pattern.test(opening))?.[0] ?? "other";
}
