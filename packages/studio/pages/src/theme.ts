/** Light or dark: as the machine is set, until the reader says otherwise. */
import { useCallback, useEffect, useState } from "preact/hooks";

export type Theme = "system" | "light" | "dark";

const NAME = "limbeck-studio-theme";
const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

export function useTheme(): { readonly theme: Theme; readonly change: () => void } {
  const [theme, setTheme] = useState<Theme>(remembered);
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    try {
      localStorage.setItem(NAME, theme);
    } catch {
      // Without storage the choice lasts until the page is closed.
    }
  }, [theme]);
  const change = useCallback(() => setTheme((held) => NEXT[held]), []);
  return { theme, change };
}

function remembered(): Theme {
  try {
    const held = localStorage.getItem(NAME);
    return held === "light" || held === "dark" ? held : "system";
  } catch {
    // A browser that keeps nothing follows the system.
    return "system";
  }
}
