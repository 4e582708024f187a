/** Packages that not everybody needs: which are there, and how to install those that are not. */
import { errorCode, errorData, OPTIONAL_PARTS } from "../../base/index.ts";
import type { NativeName } from "../../base/operation.ts";
import { LOADERS } from "../natives.ts";
import type { Check } from "./check.ts";

export const optionalParts: Check = {
  name: "optional",
  required: false,
  run: async () => {
    const names = Object.keys(LOADERS).filter((name): name is NativeName => name in OPTIONAL_PARTS);
    const missing: string[] = [];
    for (const name of names) {
      await LOADERS[name]().catch((error: unknown) => {
        if (errorCode(error) !== "package-missing") throw error;
        missing.push(`${name}: ${String(errorData(error).details?.["command"])}`);
      });
    }
    const there = names.filter((name) => !missing.some((one) => one.startsWith(`${name}:`)));
    if (missing.length === 0) return { state: "ok", value: `all here: ${there.join(", ")}` };
    const value = `${there.length === 0 ? "none is" : `${there.join(", ")} are`} installed; install others when you need them`;
    return { state: "note", value, hint: missing.join("\n") };
  },
};
