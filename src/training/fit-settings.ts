/** What the settings need of the model, looked at before anything is played. */
import { EngineError } from "../base/index.ts";
import type { StatisticName } from "../policy/index.ts";
import type { Settings } from "../update/settings.ts";

/**
 * The settings as this model can train by them. A teacher that was to speak by its whole distribution speaks by the sampled
 * token where the model tells no others, and that is said; what nothing can take the place of is refused.
 */
export function fitSettings(
  settings: Settings,
  statistics: readonly StatisticName[],
  onNotice: (message: string) => void,
): Settings {
  const lacks = (name: StatisticName): boolean => !statistics.includes(name);
  if (settings.entropyWeight > 0 && lacks("entropy")) {
    throw new EngineError(
      "missing-statistic",
      `entropyWeight is ${settings.entropyWeight}, and the model tells no entropy; it tells: ${statistics.join(", ")}. Leave the setting out, or train in this process.`,
    );
  }
  const isWide =
    settings["divergenceWeight"] !== undefined && ["forward", "reverse"].includes(String(settings["form"]));
  if (!isWide || !lacks("divergence") || !lacks("candidates")) return settings;
  onNotice(
    `form=${String(settings["form"])} compares whole distributions, which this trainer does not tell; the teacher speaks by the sampled token, as with --set form=shift.`,
  );
  return { ...settings, form: "shift" };
}
