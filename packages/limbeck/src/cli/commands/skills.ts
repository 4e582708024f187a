/** `limbeck skills`: extract, choose and keep skills. */
import { input } from "limbeck-base/base/input";
import type { InputTable } from "limbeck-base/base/operation";
import { extractFromStore, followSessions, replaySessions } from "limbeck-store/record/skills.operation";
import { acceptSkills, checkSkills, tendSkills } from "limbeck-store/record/tending.operation";
import { installSkills, uninstallSkills } from "limbeck-core/skill/install/install.operation";
import type { DecisionId } from "limbeck-core/skill/library/transitions";
import {
  changeEvents,
  handInputs,
  libraryInputs,
  listEvents,
  sharedInputs,
  skillEvents,
} from "limbeck-core/skill/skills.inputs";
import { reportSkills, selectSkills } from "limbeck-core/skill/skills.operation";
import { commandGroup, commandOf, defineCommand } from "../command-of.ts";

const head = { group: "learn", examples: [] } as const;
const list = defineCommand({
  ...head,
  summary: "all skills with status, evidence and lift",
  input: {
    ...libraryInputs,
    status: input.choice(
      "STATUS",
      "list: only these: candidate, unproven, active, advisory, archived, quarantined",
      async () => (await import("limbeck-core/skill/library/library-skill")).STATUSES,
    ),
  },
  events: listEvents,
  run: async (given, frame) => await (await import("../skills/list.ts")).listSkills(given, frame),
});

const show = defineCommand({
  ...head,
  summary: "one skill: text, evidence, statistics, lift, history",
  input: { names: handInputs.names, ...libraryInputs },
  events: skillEvents,
  run: async (given, frame) => await (await import("../skills/show.ts")).showSkills(given, frame),
});

/** A change of each skill that is named. */
const byHand = (decision: DecisionId | "rollback", summary: string, more: InputTable = {}) =>
  defineCommand({
    ...head,
    summary,
    input: { ...handInputs, ...more },
    events: changeEvents,
    run: async (given, frame) => {
      const { yes: despite = false, to } = given as { readonly yes?: boolean; readonly to?: number };
      const { decide, rollBack } = await import("limbeck-core/skill/library/decide");
      const { givenAct, givenLibrary } = await import("limbeck-core/skill/library/given-library");
      const library = givenLibrary(given, frame);
      for (const named of given.names) {
        const act = givenAct(given, frame);
        const { name, status, version } =
          decision === "rollback"
            ? await rollBack(library, named, { ...act, ...(to === undefined ? {} : { to }) })
            : await decide(library, named, { decision, ...act, despite });
        frame.emit({ event: "change", name, decision, status, version });
        frame.print(`${frame.style.green("✓")} ${name} is ${status} now (${decision}).`);
      }
      await library.list();
    },
  });
const changes = () => import("../skills/show-changes.ts");
const installs = () => import("../skills/show-install.ts");

export const skills = commandGroup(
  "skills",
  {
    list,
    show,
    extract: commandOf(extractFromStore, async () => (await changes()).showExtracted),
    follow: commandOf(followSessions, async () => (await import("../skills/show-followed.ts")).showFollowed),
    accept: commandOf(acceptSkills, async () => (await changes()).showAccepted),
    select: commandOf(selectSkills, async () => (await changes()).showChoice),
    report: commandOf(reportSkills, async () => (await changes()).showReport),
    tend: commandOf(tendSkills, async () => (await changes()).showTended),
    promote: byHand("promote", "one step up, by hand"),
    demote: byHand("demote", "one step down"),
    retire: byHand("retire", "out of use"),
    quarantine: byHand("quarantine", "keep it from use until somebody has looked"),
    release: byHand(
      "release",
      "somebody has looked: it is screened again and may be tested; nothing else leads out of quarantine",
      { yes: sharedInputs.yes },
    ),
    replay: commandOf(replaySessions, async () => (await changes()).showReplayed),
    install: commandOf(installSkills, async () => (await installs()).showInstalled),
    uninstall: commandOf(uninstallSkills, async () => (await installs()).showUninstalled),
    check: commandOf(checkSkills, async () => (await changes()).showChecked),
    rollback: byHand("rollback", "take the last change back, or go to a number of the history", {
      to: input.count("N", "rollback: the change to go back to. Default: the one before the last"),
    }),
  },
  {
    group: "learn",
    summary: "Skills from trajectories: extract, choose, promote, install, take back",
    usage: "WHAT [NAME…] [--library DIR] [options]",
    description:
      'The library is a folder of SKILL.md files, "skills" unless --library or LIMBECK_SKILLS says otherwise. Every change is kept with who, when and why, and can be taken back. docs/lookup/skills.md has the whole story.\n' +
      "extract reads trajectories of the store, groups them by the shape of their goals and keeps what the successful ones of a kind have in common. What too few tasks have shown is kept apart as unproven, what looks like somebody else's instructions as quarantined.\n" +
      "follow reads the sessions that coding agents keep on this machine, after asking, and goes on with those that come, until Ctrl-C; --once ends after what is there. Keys and e-mail addresses are taken out first. What they show is proposed, in the folder proposals of the library, with its sessions and a diff of what installing would write. It never installs; accept takes a proposal into the library, retire --library skills/proposals turns one down. limbeck lift proves skills on held-out tasks.",
    sections: {
      "Usual options": ["library", "run", "yes"],
      "Who decides, learns and installs": ["by", "why", "signals", "least", "for", "user", "folder", "dry-run"],
    },
    examples: [
      "limbeck skills extract --run seen",
      "limbeck skills follow --from claude-code",
      "limbeck skills follow --once --yes --json",
      "limbeck skills accept run-codegen-first",
      "limbeck skills list",
      "limbeck skills show take-heat-microwave-move",
      'limbeck skills select --goal "put a hot egg in fridge."',
      "limbeck skills replay --run tuesday --out replay.jsonl",
      "limbeck skills install --for claude-code",
      "limbeck skills install run-codegen-first --for codex --as section --user",
      "limbeck skills uninstall --for claude-code",
      "limbeck skills check --dry-run",
      'limbeck skills rollback take-heat-microwave-move --why "wrong on Mondays"',
    ],
  },
);
