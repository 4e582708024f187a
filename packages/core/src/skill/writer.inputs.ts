/** Who writes. */
import { input } from "limbeck-base/base/input";

/** `--ask`, `--ask policy`, `--ask bundled`, `--ask local:DIR`; by itself it is the chat model of the environment. */
export function askInput(meaning: string) {
  return input.text("chat|policy|bundled|local:DIR", meaning, {
    bare: "chat",
    takes: /^(?:chat|policy|bundled|local:.+)$/u,
  });
}
