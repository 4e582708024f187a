/** The skill library as the pages see it: its list, one skill with evidence and history, and decisions. */
import { basename } from "node:path";
import { errorCode, EngineError } from "limbeck-base/base/errors";
import { wilson } from "limbeck-base/base/statistics/share";
import { decide } from "limbeck-core/skill/library/decide";
import { openLibrary } from "limbeck-core/skill/library/library";
import type { Change, LibrarySkill, Link, Status } from "limbeck-core/skill/library/library-skill";
import type { LibraryEntry } from "limbeck-core/skill/library/index-file";
import { quote } from "limbeck-store/store/migrations";
import type { Store } from "limbeck-store/store/store";
import type { Answer, QueryOf } from "../api/endpoints.ts";
import type { SkillDecision, SkillDetail, SkillItem, SkillStatus } from "../api/skills.ts";
import { numberOr } from "../runs/cells.ts";
import { readActions, withActions } from "../trajectories/step-skills.ts";

/** Where the server finds the skill library; none until there is one. */
export interface SkillLibrary {
  /** The folder's name. */
  readonly name: string;
  list(asked: QueryOf<"skills">): Promise<Pick<Answer<"skills">, "total" | "skills" | "problems">>;
  read(id: string): Promise<SkillDetail>;
  decide(decision: SkillDecision): Promise<SkillDetail>;
}

const STATUS: Readonly<Record<Status, SkillStatus>> = {
  candidate: "candidate",
  unproven: "unproven",
  active: "promoted",
  advisory: "demoted",
  archived: "retired",
  quarantined: "quarantined",
};

const EVIDENCE = 40;

type Read = Pick<Store, "list" | "query">;

/** `store` finds what was done at the steps that are evidence. */
export function openFolderLibrary(root: string, store: Read): SkillLibrary {
  const library = openLibrary(root);
  const read = async (id: string): Promise<SkillDetail> => {
    const skill = await library.read(id).catch((error: unknown) => {
      throw errorCode(error) === "unknown-name" || errorCode(error) === "bad-skill-name"
        ? new EngineError("no-skill", error instanceof Error ? error.message : String(error), { cause: error })
        : error;
    });
    return await detailOf(store as Store, skill, await library.history(id));
  };
  return {
    name: basename(root),
    list: async (asked) => {
      const { skills, problems } = await library.list();
      const wanted = skills.map((skill) => itemOf(skill, skill.links)).filter((skill) => fits(skill, asked));
      const page = wanted.sort(orderOf(asked.sort)).slice(asked.offset, asked.offset + asked.limit);
      return {
        total: wanted.length,
        skills: page,
        problems: problems.map(({ name, problem }) => ({ file: `${name}/SKILL.md`, problem })),
      };
    },
    read,
    decide: async ({ id, decision, who, note, yes }) => {
      await decide(library, id, { decision, by: who, ...(note === "" ? {} : { why: note }), despite: yes });
      // Agents read the index.
      await library.list();
      return await read(id);
    },
  };
}

function fits(skill: SkillItem, { level, status, search }: QueryOf<"skills">): boolean {
  const text = `${skill.id} ${skill.name} ${skill.text}`.toLowerCase();
  const words = (search ?? "").toLowerCase().split(/\s+/);
  return (
    (level === undefined || skill.level === level) &&
    (status === undefined || skill.status === status) &&
    words.every((word) => text.includes(word))
  );
}

function orderOf(sort: QueryOf<"skills">["sort"]): (left: SkillItem, right: SkillItem) => number {
  const number = (skill: SkillItem): number =>
    sort === "uses" ? skill.uses : (skill.lift?.value ?? Number.NEGATIVE_INFINITY);
  const byName = (left: SkillItem, right: SkillItem): number => (left.name < right.name ? -1 : 1);
  if (sort === "name") return byName;
  return (left, right) => (number(left) === number(right) ? byName(left, right) : number(right) - number(left));
}

function itemOf(skill: Omit<LibraryEntry, "links"> | LibrarySkill, evidence: number): SkillItem {
  const { lift, statistics } = skill;
  return {
    id: skill.name,
    name: skill.name,
    level: skill.level,
    text: skill.text,
    when: skill.description,
    status: STATUS[skill.status],
    evidence,
    uses: statistics.uses,
    lift: lift === undefined ? null : { ...lift.over.bare, tasks: lift.pairs },
    shift: null,
    updatedAt: lift?.at ?? statistics.lastUsed ?? null,
  };
}

async function detailOf(store: Store, skill: LibrarySkill, history: readonly Change[]): Promise<SkillDetail> {
  const { statistics: uses, evidence, text: _text, ...facts } = skill;
  return {
    ...itemOf(skill, evidence.length),
    evidenceAt: await evidenceOf(store, evidence.slice(0, EVIDENCE)),
    used:
      uses.successes + uses.failures + uses.withoutUses === 0
        ? null
        : {
            with: share(uses.successes, uses.successes + uses.failures),
            without: share(uses.withoutSuccesses, uses.withoutUses),
          },
    facts: JSON.parse(JSON.stringify({ ...facts, uses })) as Record<string, unknown>,
    history: history
      .map(({ at, by, action, why }, index) => ({
        time: at,
        who: by,
        what: action,
        from: statusAt(history, index - 1),
        to: statusAt(history, index),
        note: why ?? "",
      }))
      .reverse(),
  };
}

function statusAt(history: readonly Change[], index: number): string | null {
  const change = history[index];
  return change === undefined ? null : STATUS[change.status];
}

function share(solved: number, tasks: number): SkillDetail["lift"] {
  return tasks === 0 ? null : { value: solved / tasks, ...wilson(solved, tasks), tasks };
}

/** Links may name no run, or one that is not in this store; then only the numbers are shown. */
async function evidenceOf(store: Store, links: readonly Link[]): Promise<SkillDetail["evidenceAt"]> {
  const shown: SkillDetail["evidenceAt"] = [];
  const known = await runsOf(store, links);
  for (const { run, trajectory, steps } of links) {
    const place = run ?? known.get(trajectory) ?? null;
    const told = [{ trajectory, steps: [...steps] }];
    const actions = place === null ? new Map() : await readActions(store, place, told).catch(() => new Map());
    for (const one of withActions(told, actions)) shown.push({ run: place, ...one });
  }
  return shown;
}

/** The run of each trajectory that only one run has. */
async function runsOf(store: Store, links: readonly Link[]): Promise<Map<string, string>> {
  const ids = links.filter(({ run }) => run === undefined).map(({ trajectory }) => quote(trajectory));
  if (ids.length === 0) return new Map();
  const { rows } = await store.list(
    `select id, max(run), count(distinct run) from listed where id in (${ids.join(", ")}) group by id`,
  );
  return new Map(rows.flatMap(([id, run, runs]) => (numberOr(runs) === 1 ? [[String(id), String(run)] as const] : [])));
}
