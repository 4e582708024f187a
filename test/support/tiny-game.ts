/** A small game of our own for tests: two cupboards at one place, a lamp, a coin, and every construct of the rules. */
import type { GameFile } from "../../packages/worlds/src/alfworld/game-file.ts";

const DOMAIN = `; a comment (with a bracket
(define (domain tiny)
  (:requirements :adl :typing)
  (:types agent place box thing - item)
  (:predicates
    (at ?a - agent ?p - place)
    (stands ?b - box ?p - place)
    (shut ?b - box)
    (in ?t - thing ?b - box)
    (near ?t - thing ?p - place)
    (held ?a - agent ?t - thing)
    (busy ?a - agent)
    (lit ?t - thing)
    (lamp ?t - thing)
    (seen ?b - box))
  (:functions (total-cost) - number)
  (:action walk
    :parameters (?a - agent ?from - place ?to - place ?b - box)
    :precondition (and (at ?a ?from) (stands ?b ?to))
    :effect (and (not (at ?a ?from)) (at ?a ?to) (increase (total-cost) 1)))
  (:action unlock
    :parameters (?a - agent ?b - box)
    :precondition (exists (?p - place) (and (at ?a ?p) (stands ?b ?p) (shut ?b)))
    :effect (and (not (shut ?b)) (seen ?b)))
  (:action pick
    :parameters (?a - agent ?p - place ?t - thing ?b - box)
    :precondition (and (at ?a ?p) (stands ?b ?p) (in ?t ?b) (not (or (shut ?b) (busy ?a))))
    :effect (and (not (in ?t ?b)) (not (near ?t ?p)) (held ?a ?t) (busy ?a)))
  (:action drop
    :parameters (?a - agent ?p - place ?t - thing ?b - box)
    :precondition (and (held ?a ?t) (at ?a ?p) (stands ?b ?p) (not (shut ?b)))
    :effect (and (in ?t ?b) (near ?t ?p) (not (held ?a ?t)) (not (busy ?a))))
  (:action press
    :parameters (?a - agent ?t - thing)
    :precondition (and (held ?a ?t) (lamp ?t))
    :effect (and (when (lit ?t) (not (lit ?t))) (when (not (lit ?t)) (lit ?t))))
  (:action slam
    :parameters (?a - agent ?p - place)
    :precondition (at ?a ?p)
    :effect (forall (?b - box) (when (stands ?b ?p) (shut ?b))))
  (:action wait :parameters (?a - agent) :precondition () :effect (and (busy ?a) (busy ?a))))`;

const GRAMMAR = `grammar :: """
{ "intro": [{ "rhs": "#around#\\n\\n#task#" }],
  "task": [{ "rhs": "Your task is to: light the lamp in the red box." }],
  "around": [
    { "condition": "at(a:agent, p:place) & stands(b:box, p:place)",
      "rhs": "Before you: [{b.name | at(a:agent, p:place) & stands(b:box, p:place)}]. Beside: [{#one(t)# | at(a:agent, p:place) & near(t:thing, p:place) & stands(b:box, p:place) & not_in(t:thing, b:box)}]." },
    { "rhs": "A bare room." }],
  "one(t)": [{ "rhs": "{t.indefinite} {t.name or t.id}} never shown" }],
  "inside": [
    { "condition": "shut(b:box)", "rhs": "It is shut." },
    { "rhs": "In it: [{t.indefinite + ' ' + t.name | in(t:thing, b:box)}]." }],
  "list_empty": [{ "rhs": "nothing" }],
  "list_separator": [{ "rhs": ", " }],
  "list_last_separator": [{ "rhs": ", and " }] }
""";
action walk { template :: "walk to {b}"; feedback :: "You stand at {b.name}. #inside#"; }
action unlock { template :: "unlock {b}"; feedback :: "#inside#"; }
action pick { template :: "pick {t} from {b}"; feedback :: "You pick {t.name}."; }
action drop { template :: "drop {t} in {b}"; feedback :: "You drop {t.name}."; }
action press { template :: "press {t}"; feedback :: "#pressed#";
  grammar :: """ { "pressed": [{ "condition": "lit(t:thing)", "rhs": "Light." }, { "rhs": "Dark." }] } """; }
action slam { template :: "slam"; feedback :: "#around#"; }
action wait { template :: "wait"; feedback :: "Time passes."; }`;

const PROBLEM = `(define (problem one) (:domain tiny)
  (:objects me - agent door window - place ghost - thing
    red_bar_1 red_bar_2 blue_bar_1_bar_basin - box lamp_bar_9 coin_bar_1 coin_bar_2 - thing)
  (:init (at me door) (stands red_bar_1 window) (stands red_bar_1 window) (stands red_bar_2 window)
    (stands blue_bar_1_bar_basin door) (shut red_bar_2) (lamp lamp_bar_9) (= (total-cost) 0)
    (in lamp_bar_9 red_bar_1) (near lamp_bar_9 window)
    (in coin_bar_1 red_bar_1) (near coin_bar_1 window) (in coin_bar_2 red_bar_2) (near coin_bar_2 window))
  (:goal (exists (?t - thing ?b - box) (and (lit ?t) (in ?t ?b) (not (= ?b red_bar_1)) (stands ?b window)))))`;

export function tinyGame(changes: Partial<GameFile> = {}): GameFile {
  return { pddl_domain: DOMAIN, pddl_problem: PROBLEM, grammar: GRAMMAR, solvable: true, ...changes };
}
