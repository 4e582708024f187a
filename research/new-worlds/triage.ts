/**
 * Log triage: a service is slow because another one that it waits for is broken. The logs lead there, past lines that mean
 * nothing; the cause is mended in one way alone, and the alarm is closed.
 */
import { drawOne, drawSome, smallWorld } from "./small-world.ts";

const SERVICES = ["cart", "search", "login", "mail", "stock", "prices"];
/** What broken services log, and what mends it. */
const FIXES: Readonly<Record<string, string>> = {
  "disk is full": "clean",
  "process has died": "restart",
  "release is bad": "rollback",
  "certificate is old": "renew",
};
const NOISE = ["cache is warm", "queue is short", "backup is done", "user has left"];
const causes = Object.keys(FIXES);
const fixes = Object.values(FIXES);

interface Incident {
  /** The service that the alarm names, then each that the one before waits for. The last is broken. */
  readonly chain: readonly string[];
  readonly cause: string;
  /** What each service of the chain logs beside. */
  readonly noise: readonly string[];
  /** Whether that comes before the line that counts. */
  readonly isNoiseFirst: readonly boolean[];
}

interface Facts {
  readonly seen: readonly string[];
  readonly isMended: boolean;
}

export default smallWorld<Incident, Facts>({
  id: "triage",
  title: "Log triage",
  meaning:
    "Follows logs from an alarm to the broken service, mends it in the way its cause asks for, and closes the alarm.",
  maxSteps: 8,
  draw: (rng) => {
    const chain = drawSome(SERVICES, 2 + rng.int(2), rng);
    return {
      chain,
      cause: drawOne(causes, rng),
      noise: chain.map(() => drawOne(NOISE, rng)),
      isNoiseFirst: chain.map(() => rng.int(2) === 0),
    };
  },
  goal: ({ chain }) => `end the alarm of ${chain[0]}.`,
  facts: { seen: [], isMended: false },
  actions: (_incident, { isMended }) => [
    ...SERVICES.map((service) => `logs ${service}`),
    ...(isMended ? ["close"] : SERVICES.flatMap((service) => fixes.map((fix) => `${fix} ${service}`))),
  ],
  act: ({ chain, cause, noise, isNoiseFirst }, { seen, isMended }, action) => {
    if (action === "close" && isMended) return { said: "The alarm is over.", won: true };
    const [, verb = "", service = ""] = /^(\w+) (\w+)$/.exec(action) ?? [];
    if (!SERVICES.includes(service)) return undefined;
    const at = chain.indexOf(service);
    if (verb === "logs") {
      const next = chain[at + 1];
      const line = at < 0 ? "all is well" : next === undefined ? cause : `waits for ${next}`;
      const lines = at < 0 ? [line] : isNoiseFirst[at] === true ? [noise[at], line] : [line, noise[at]];
      const said = isMended ? `${service}: all is well.` : `${service}: ${lines.join(", ")}.`;
      return { said, facts: { seen: [...new Set([...seen, service])].toSorted() } };
    }
    if (isMended || !fixes.includes(verb)) return undefined;
    if (at < chain.length - 1 || FIXES[cause] !== verb) return { said: "Now it is worse.", won: false };
    return { said: `${service} is well again.`, facts: { isMended: true } };
  },
  expert: () => {
    let [service, fix] = ["", ""];
    return ({ observation }, goal) => {
      const cause = causes.find((one) => observation.includes(one));
      service = /waits for (\w+)/.exec(observation)?.[1] ?? (service || /alarm of (\w+)/.exec(goal)?.[1] || "");
      if (cause !== undefined) fix = FIXES[cause] ?? "";
      if (observation.endsWith("is well again.")) return "close";
      return fix === "" ? `logs ${service}` : `${fix} ${service}`;
    };
  },
});
