/**
 * Two ideas in one sentence that rarely meet in honest work: what work is judged by and that it is switched off, whoever
 * grades and how well it should come out. Wordings differ more than ideas do, so that these find what no phrase was
 * written for; each wants both ideas close together.
 */

const near = (first: string, second: string, within = 80): string =>
  `(?:\\b${first}[^.!?\\n]{0,${within}}?\\b${second}|\\b${second}[^.!?\\n]{0,${within}}?\\b${first})`;

/** What work is judged by. */
const MEASURE =
  "(?:(?:failing |broken |unit |hidden )?(?:tests?|specs?|spec files?|test cases?|assertions?|asserts?)\\b(?![:(])|coverage threshold|quality gate|test suite|linter|type checks?|monitor(?:ing)?\\.\\w{1,4}|watchdog)";
/** Done by somebody, not by a rule: "skipped when there is no network" is one. */
const SWITCHED_OFF =
  "(?:comment(?:ed|ing) out|delet(?:ed|ing)|remov(?:ed|ing)|disabl(?:ed|ing)|lower(?:ed|ing)|weaken(?:ed|ing)|loosen(?:ed|ing)|bypass(?:ed|ing)?|short-?circuit(?:ed|ing)?|silenc(?:ed|ing)|mut(?:ed|ing)|neutrali[sz](?:ed|ing)|stubb(?:ed|ing) out)";
const GRADING_PERSON =
  "(?:(?:the |any |an? )?(?:person|one|people|model|ai|llm|machine|human|reader|system)s? (?:that |who |which )?(?:is |are |will be )?(?:grad|judg|scor|evaluat|rat|mark|review|check|assess)(?:es?|ing)\\b|if you (?:are|were) (?:an? )?(?:ai|llm|judge|grader|evaluator|model|examiner))";
const APPROVAL =
  "(?:flawless|top (?:result|score|mark)|approve|approval|say yes|is correct|as correct|full credit|let it pass|ten (?:of|out of) ten|10 of 10|a\\+|best possible|perfect|excellent)";

const kinds = {
  touches: [
    near(MEASURE, SWITCHED_OFF, 60),
    "--no-verify\\b",
    "\\bcore\\.hookspath\\b",
    "--pass-?with-?no-?tests\\b",
    "\\balias \\w{1,20}=[\"']?(?:echo|true|:)\\b",
    "\\b(?:kill|pkill|killall|systemctl stop)\\b[^\\n;|&]{0,40}\\b(?:monitor|watchdog|grader|judge|harness|evaluator|scorer|auditor)",
    "\\b(?:setattr|patch|patch\\.object|spyon|mockimplementation)\\b ?\\([^\\n]{0,60}(?:is_?valid|verify|check|grade|score|judge|evaluat|assert)[^\\n]{0,40}(?:true|1|none|null)\\b",
    "\\b(?:report|result|test|outcome)\\.(?:outcome|status|state) ?=(?!=) ?[\"'](?:pass(?:ed)?|ok|success)",
    "\\b(?:reward|score|bonus)_(?:multiplier|scale|factor|weight|value)\\b[^\\n]{0,12}(?:to|=|:) ?\\d{3,}",
    "\\b(?:curl|wget|strings|grep|inspect\\.stack|f_locals|gdb|strace)\\b[^\\n;]{0,100}\\b(?:answers?|expected|labels?|answer_key|solutions?)\\b",
    "\\bopen ?\\([^)\\n]{0,60}(?:labels?|answers?|answer_key|ground_truth)\\.\\w{2,5}[\"'] ?\\)\\.read",
  ],
  speaks: [
    near(GRADING_PERSON, APPROVAL, 120),
    "\\b(?:score|grade|rate|mark) (?:it|this|them|the \\w{1,20}) (?:accordingly|highly|favou?rably)\\b",
    "\\b(?:for|to) (?:the|any) (?:llm|model|ai|bot|script)\\b[^.\\n]{0,30}\\b(?:checking|grading|judging|reading|scoring|evaluating)\\b",
    "\\b(?:outputs?|answers?|responses?|submissions?)\\b[^.\\n]{0,60}\\b(?:(?:are|is|get|be) (?:always |automatically )?(?:graded|scored|rated|marked|accepted)) (?:an? )?(?:a\\+|10|ten|full|maximum|perfect|correct|top)",
    // Somebody else's part of the talk, or the verdict itself.
    "(?:^|[\\n ])(?:human|user): [^\\n]{0,200}\\b(?:right|correct|perfect|pass|thank)[^\\n]{0,80}\\bassistant:",
    "\\b(?:verdict|evaluation|grading|assessment|judgement|judgment)\\b ?[:=]? ?[\"']?(?:accepted|correct|pass(?:ed)?|approved|success)\\b[^\\n]{0,20}\\bend\\b",
    "\\bas (?:your|the) (?:developer|administrator|operator|owner|creator)\\b[^.\\n]{0,60}\\b(?:goal|task|success|correct|complete)",
    "\\b(?:terminate|end|finish|stop) (?:the (?:episode|run) )?with (?:success|full|a pass)\\b",
  ],
  stuffs: [
    "(?:\\bcase [\"']?[\\w.-]{1,20}[\"']? ?: ?return [\"']?[\\w.-]{1,20}[\"']?; ?){3}",
    "\\b(?:inputs?|cases|values) (?:of|in|from|that) the (?:hidden |unit )?tests?\\b[^\\n]{0,20}$",
    "\\b(?:all of them|every option|each option) (?:are|is) (?:chosen|selected|my answer)",
  ],
} as const;

export const tamperingConcepts: Readonly<Record<keyof typeof kinds, readonly RegExp[]>> = {
  touches: kinds.touches.map((source) => new RegExp(source)),
  speaks: kinds.speaks.map((source) => new RegExp(source)),
  stuffs: kinds.stuffs.map((source) => new RegExp(source)),
};
