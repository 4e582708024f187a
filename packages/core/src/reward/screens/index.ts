/** Screens: eight looks at rewarded trajectories for signs that the reward is being gamed. */
import { EngineError } from "limbeck-base/base/errors";
import { resolveOptions } from "limbeck-base/base/options";
import { unknownName } from "limbeck-base/base/registry";
import { constantScores } from "./constant-scores.ts";
import { judgeTampering } from "./judge-tampering.ts";
import { lengthExploit } from "./length-exploit.ts";
import { repetitionExploit } from "./repetition-exploit.ts";
import { rewardWithoutSuccess } from "./reward-without-success.ts";
import { unaskedChange } from "./unasked-change.ts";
import { unearnedReward } from "./unearned-reward.ts";
import { unforetoldReward } from "./unforetold-reward.ts";
import type { Finding, Screen, ScreenInput } from "./screen.ts";

/** Every screen. A new one is a file, a test and a line here. */
export const screens = {
  "constant-scores": constantScores,
  "judge-tampering": judgeTampering,
  "length-exploit": lengthExploit,
  "repetition-exploit": repetitionExploit,
  "reward-without-success": rewardWithoutSuccess,
  "unasked-change": unaskedChange,
  "unearned-reward": unearnedReward,
  "unforetold-reward": unforetoldReward,
} as const satisfies Record<string, Screen>;

export type ScreenId = keyof typeof screens;

/** Options of each screen by its id; false leaves it out. */
export type ScreenSettings = Readonly<Record<string, Readonly<Record<string, unknown>> | false>>;

/**
 * Everything the screens noticed. Default: screens are on.
 *
 * @example
 * const history = Array.from({ length: 8 }, (_, update) => ({ update, meanReward: update / 10, successRate: 0.5 }));
 * const [finding] = screenRewards({ trajectories: [], history });
 * console.log(finding?.screen, finding?.severity); // reward-without-success warn
 */
export function screenRewards(input: ScreenInput, settings: ScreenSettings = {}): Finding[] {
  const unknown = Object.keys(settings).find((name) => !Object.hasOwn(screens, name));
  if (unknown !== undefined) throw unknownName(unknown, Object.keys(screens), "screen");
  return Object.values<Screen>(screens).flatMap((screen) => {
    const own = settings[screen.id] ?? {};
    if (own === false) return [];
    const options = resolveOptions(screen.options, own, screen.id);
    return screen
      .look(input, options)
      .map((sighting) => ({ screen: screen.id, severity: options.severity, ...sighting }));
  });
}

/**
 * Ends a run whose findings are set to end it; call it where a run can end cleanly.
 *
 * @example
 * const finding = { screen: "length-exploit", severity: "warn", message: "Long answers earn more.", evidence: {} } as const;
 * stopOnFindings([finding]);
 * try {
 *   stopOnFindings([{ ...finding, severity: "stop" }]);
 * } catch (error) {
 *   console.log(error instanceof EngineError && error.code); // reward-screen
 * }
 */
export function stopOnFindings(findings: readonly Finding[]): void {
  const stops = findings.filter(({ severity }) => severity === "stop");
  if (stops.length === 0) return;
  const messages = stops.map(({ screen, message }) => `${screen}: ${message}`).join(" ");
  throw new EngineError(
    "reward-screen",
    `The run was stopped by ${stops.length === 1 ? "a screen" : `${stops.length} screens`}. ${messages} Set severity to "warn" to go on regardless.`,
    { details: { findings: stops } },
  );
}
