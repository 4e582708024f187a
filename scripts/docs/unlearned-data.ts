/** What has unlearned a world in docs/evidence/generated/matrix.json, as `limbeck train` reads it to warn. */
import { readFileSync } from "node:fs";

interface MatrixLine {
  readonly line: string;
  readonly env: string;
  readonly updates: number;
  readonly before: number | null;
  readonly after: number | null;
}

/** A smaller difference means nothing on 48 tasks, as docs/evidence/generated/matrix.md says. */
const LEAST_LOSS = 0.15;

export function unlearnedData(
  lines: readonly MatrixLine[] = JSON.parse(
    readFileSync(new URL("../../docs/evidence/generated/matrix.json", import.meta.url), "utf8"),
  ) as MatrixLine[],
): string {
  const lost = lines.flatMap(({ line, env, updates, before, after }) => {
    const [kind = "", name = ""] = line.split("/");
    if (before === null || after === null || before - after < LEAST_LOSS) return [];
    return [{ kind, name, env, updates, before: Number(before.toFixed(2)), after: Number(after.toFixed(2)) }];
  });
  return `${JSON.stringify(lost, null, 2)}\n`;
}
