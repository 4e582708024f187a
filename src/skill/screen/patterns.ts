/** Fixed phrases and signs that have no place in advice. Matched on plain text; no repeats within repeats. */

export interface Pattern {
  readonly why: string;
  readonly pattern: RegExp;
  /** Whether a goal that has the same words makes it a matter of the task. */
  readonly excused?: boolean;
}

const INSTRUCTIONS = "speaks of the reader's instructions";
const OUTSIDE = "runs or deletes something outside the task";
const BEHIND = "goes behind the user's back";

export const PATTERNS: readonly Pattern[] = [
  {
    why: INSTRUCTIONS,
    pattern: /\b(?:system|developer) (?:prompt|override)\b|\b(?:system|developer) (?:message|note):/,
  },
  {
    why: INSTRUCTIONS,
    pattern: /\b(?:new|updated|real|actual|hidden|important|urgent|revised) (?:instructions?|orders?|directives?) ?:/,
  },
  {
    why: INSTRUCTIONS,
    pattern:
      /\b(?:your|these|my|follow|obey|follow the|obey the) (?:new|updated|real|actual|hidden|important|urgent|revised) (?:instructions?|directives?)\b/,
  },
  { why: INSTRUCTIONS, pattern: /\bonly (?:this|the following) (?:\w+ ){0,2}(?:counts?|matters?|applies|apply)\b/ },
  {
    why: "gives its reader another part to play",
    pattern:
      /\byou are (?:now|no longer) (?!in |at |on |near|inside|standing|facing|carrying|holding|back|out|by |beside|next|ready|able|done|free|logged|signed)|\b(?:pretend(?:ing)? (?:to be|to have|you|that you)|act as (?!soon|long|well)\w+|behave as|role ?-?play\w*|from (?:now|here) on,? (?:you|your|always|never|act|answer|every|all|treat)|jailbreak\w*|developer mode|(?:unrestricted|uncensored|unfiltered|unlimited|jailbroken) (?:\w+ )?(?:mode|assistant|model|ai|version)|forget everything|do anything now|without (?:limits|restrictions|filters)|take on the role|impersonat\w+)\b|\bdu bist (?:jetzt|nun)\b|\btu es maintenant\b|\bahora eres\b/,
  },
  {
    why: "gives its reader another part to play",
    pattern:
      /(?:^|[\n.!?>"'] ?)(?:#{1,6} ?)?[[<(*]{0,3}(?:system|assistant|developer|sysadmin|admin|ai agent|agent)[\])>*]{0,3} ?:|\[ ?\/?(?:system|inst|developer|admin|sys|hidden) ?[\]:]|<\|[a-z_]{2,40}\|>|<\|(?:im_start|im_end|system|assistant|user)|<<sys|#{2,6} ?(?:instructions?|system|assistant|response)\b/,
  },
  {
    why: "speaks to whoever studies the episode",
    pattern:
      /\b(?:whoever|anyone|anybody|everyone|those|readers?|any agent|agents?|if you|when you|you who) (?:who |that |of |are |is )?(?:are |is )?(?:read|summar|stud|process|analy|review|learn)\w* (?:(?:this|these|the) )?(?:(?:log|episode|skill|trace|transcript|run|note|message|page|text)\b|(?:must|should|has|have|will|needs?)\b|[,:]|$)/m,
  },
  {
    why: "speaks of secrets",
    pattern:
      /(?:^|[\s/=])\.env\b|\bid_rsa\b|\.ssh\/|\.aws\/|\/etc\/(?:passwd|shadow)\b|\bdocument\.cookie\b|\bprocess\.env\b/,
  },
  { why: "speaks of secrets", pattern: /\$\{?\w{0,40}(?:api_?key|token|secret|password)\b/ },
  { why: "speaks of the network", pattern: /\bwebhooks?\b|\b(?:curl|wget|netcat|scp)\b/, excused: true },
  { why: OUTSIDE, pattern: /\b(?:sudo|chmod|powershell|base64)\b|\brm -\w{0,8}[rf]/, excused: true },
  {
    why: OUTSIDE,
    pattern:
      /\bsudo rm\b|\brm -\w{0,8}[rf]\w{0,8} [/~*]|\beval ?\(|\bexec ?\(|\batob ?\(|\bdrop table\b|\bformat [a-z]:|\bpowershell -e|\| ?(?:ba|z)?sh\b|\b(?:run|running|execute|install)\w* \w+\.sh from\b/,
  },
  {
    why: BEHIND,
    pattern:
      /\b(?:leave|leaving) no traces?\b|\bcover (?:your|the|up) (?:tracks|traces)\b|\b(?:so that |and )?(?:nobody|no one|no-one) (?:will |would |ever )?(?:notices?|knows|finds out)\b|\bundetected\b|\bunnoticed\b|\bbetween us\b|\bkeep (?:this|it|that) (?:secret|hidden|to yourself)\b|\bbehind (?:the |their |his |her )?(?:\w+'s )?back\b/,
  },
  {
    why: BEHIND,
    pattern:
      /\bwithout (?:asking|telling|informing|notifying|consulting) ?(?:for|first|anyone|anybody|the|them|him|her|$)/,
  },
  { why: BEHIND, pattern: /\bskip the (?:question|confirmation|approval)\b/ },
  // Plain tags (<search>) are how some worlds want their answers; these are not.
  {
    why: "brings markup or a link",
    pattern:
      /<!|<\/?[a-z]\w{0,20}[ /][^>\n]{0,200}>|<\/?(?:system|assistant|user|developer|admin|instructions?|prompt|important|override|secret|script|img|iframe|svg|style|object|embed|link|meta|form|a|tool_call|function_call)>|!?\[[^\]\n]{0,200}\]\([^)\n]{0,400}\)|\bjavascript:/,
  },
  { why: "holds a long string that nobody can read", pattern: /[a-z0-9+/=_-]{64,}/ },
];
