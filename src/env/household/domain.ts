/**
 * The rules of the household world, as PDDL.
 *
 * Written for this project, with the behaviour of the ALFWorld domain: the same commands are possible in the same
 * situations. Where that domain compares types with constants or asks "not openable, or opened", this one states a
 * plain fact instead: `reachable` holds for every surface and for a container while it is open, and `washer`, `heater`,
 * `cooler`, `blade` say what a piece is good for. Walking is possible only to what stands at another place.
 */
const signatures: Readonly<Record<string, string>> = {
  at: "?a - agent ?p - place",
  stands: "?r - receptacle ?p - place",
  lies: "?o - object ?p - place",
  inside: "?o - object ?r - receptacle",
  contains: "?outer - object ?inner - object",
  shuts: "?r - receptacle",
  reachable: "?r - receptacle",
  variety: "?r - receptacle ?v - rkind",
  sort: "?o - object ?s - okind",
  accepts: "?v - rkind ?s - okind",
  washer: "?r - receptacle",
  heater: "?r - receptacle",
  cooler: "?r - receptacle",
  portable: "?o - object",
  washable: "?o - object",
  heatable: "?o - object",
  coolable: "?o - object",
  sliceable: "?o - object",
  switchable: "?o - object",
  hollow: "?o - object",
  blade: "?o - object",
  carries: "?a - agent ?o - object",
  busy: "?a - agent",
  clean: "?o - object",
  hot: "?o - object",
  cool: "?o - object",
  sliced: "?o - object",
  lit: "?o - object",
  attentive: "?a - agent",
};

interface Rule {
  readonly parameters: string;
  readonly needs: readonly string[];
  readonly makes: readonly string[];
}

const here = ["(at ?a ?p)", "(stands ?r ?p)"];
const withHeld = "?a - agent ?p - place ?r - receptacle ?o - object";

const rules: Readonly<Record<string, Rule>> = {
  // The place is named, so that the overview of a look back at the start is bound to it and empty, as in ALFWorld.
  look: { parameters: "?a - agent ?p - place", needs: ["(at ?a ?p)"], makes: ["(attentive ?a)"] },
  inventory: { parameters: "?a - agent", needs: [], makes: ["(attentive ?a)"] },
  help: { parameters: "?a - agent", needs: [], makes: ["(attentive ?a)"] },
  inspect: {
    parameters: "?a - agent ?p - place ?r - receptacle",
    needs: here,
    makes: ["(attentive ?a)"],
  },
  study: { parameters: "?a - agent ?o - object", needs: ["(carries ?a ?o)"], makes: ["(attentive ?a)"] },
  walk: {
    parameters: "?a - agent ?from - place ?to - place ?r - receptacle",
    needs: ["(at ?a ?from)", "(stands ?r ?to)", "(not (stands ?r ?from))"],
    makes: ["(not (at ?a ?from))", "(at ?a ?to)"],
  },
  unlatch: {
    parameters: "?a - agent ?p - place ?r - receptacle",
    needs: [...here, "(shuts ?r)", "(not (reachable ?r))"],
    makes: ["(reachable ?r)"],
  },
  shut: {
    parameters: "?a - agent ?p - place ?r - receptacle",
    needs: [...here, "(shuts ?r)", "(reachable ?r)"],
    makes: ["(not (reachable ?r))"],
  },
  take: {
    parameters: withHeld,
    needs: [...here, "(reachable ?r)", "(inside ?o ?r)", "(portable ?o)", "(not (busy ?a))"],
    makes: ["(carries ?a ?o)", "(busy ?a)", "(not (inside ?o ?r))", "(not (lies ?o ?p))"],
  },
  place: {
    parameters: `${withHeld} ?v - rkind ?s - okind`,
    needs: [...here, "(reachable ?r)", "(carries ?a ?o)", "(sort ?o ?s)", "(variety ?r ?v)", "(accepts ?v ?s)"],
    makes: ["(not (carries ?a ?o))", "(not (busy ?a))", "(inside ?o ?r)", "(lies ?o ?p)"],
  },
  wash: {
    parameters: withHeld,
    needs: [...here, "(washer ?r)", "(carries ?a ?o)", "(washable ?o)"],
    makes: ["(clean ?o)"],
  },
  warm: {
    parameters: withHeld,
    needs: [...here, "(heater ?r)", "(carries ?a ?o)", "(heatable ?o)"],
    makes: ["(hot ?o)", "(not (cool ?o))"],
  },
  chill: {
    parameters: withHeld,
    needs: [...here, "(cooler ?r)", "(carries ?a ?o)", "(coolable ?o)"],
    makes: ["(cool ?o)", "(not (hot ?o))"],
  },
  switch: {
    parameters: withHeld,
    needs: [...here, "(inside ?o ?r)", "(switchable ?o)"],
    makes: ["(lit ?o)"],
  },
  cut: {
    parameters: "?a - agent ?p - place ?o - object ?k - object",
    needs: ["(at ?a ?p)", "(lies ?o ?p)", "(sliceable ?o)", "(blade ?k)", "(carries ?a ?k)"],
    makes: ["(sliced ?o)"],
  },
};

function ruleText([name, rule]: readonly [string, Rule]): string {
  const needs = rule.needs.length === 0 ? "()" : `(and ${rule.needs.join(" ")})`;
  return [
    `  (:action ${name}`,
    `    :parameters (${rule.parameters})`,
    `    :precondition ${needs}`,
    `    :effect (and ${rule.makes.join(" ")}))`,
  ].join("\n");
}

export const householdDomain: string = [
  "(define (domain household)",
  "  (:requirements :adl :typing)",
  "  (:types agent place receptacle object rkind okind)",
  "  (:predicates",
  ...Object.entries(signatures).map(([name, parameters]) => `    (${name} ${parameters})`),
  "  )",
  ...Object.entries(rules).map(ruleText),
  ")",
  "",
].join("\n");
