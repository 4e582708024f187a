/** Where the papers that methods name can be read. Numbers of arXiv in a text become links by themselves. */
import { cell } from "./markdown.ts";

const arxiv = (number: string): string => `https://arxiv.org/abs/${number}`;

/** Words as they stand in `info.paper`, and their address. Longer words come before words that they begin with. */
const PAPERS: Readonly<Record<string, string>> = {
  A2TGPO: arxiv("2605.06200"),
  ALVINN: "https://proceedings.neurips.cc/paper/1988/hash/812b4ba287f5ee0bc9d43bbf5bbe87fb-Abstract.html",
  APRIL: arxiv("2509.18521"),
  "Agent Learning via Early Experience": arxiv("2510.08558"),
  "Agent Q": arxiv("2408.07199"),
  "AlphaZero's PUCT": arxiv("1712.01815"),
  "Asymmetric On-Policy Distillation": arxiv("2605.06387"),
  AutoMLGen: arxiv("2510.08511"),
  "Bandit based Monte-Carlo Planning (UCT)": "https://doi.org/10.1007/11871842_29",
  BranchGRPO: arxiv("2509.06040"),
  "Co-GRPO": arxiv("2512.22288"),
  CoSearch: arxiv("2604.17555"),
  CodeTree: arxiv("2411.04329"),
  "Curriculum learning": "https://doi.org/10.1145/1553374.1553380",
  DARS: arxiv("2508.13755"),
  DynFrame: arxiv("2605.26680"),
  ECHO: arxiv("2602.02150"),
  ETS: arxiv("2502.13575"),
  "Efficient Multi-turn RL for GUI Agents": arxiv("2509.23866"),
  EmbodiedBrain: arxiv("2510.20578"),
  "Evaluation-driven Scaling for Scientific Discovery": arxiv("2604.19341"),
  EvoGit: arxiv("2506.02049"),
  GenARM: arxiv("2410.08193"),
  GenAgent: arxiv("2601.18543"),
  "Generation Navigator": arxiv("2605.17969"),
  HeavySkill: arxiv("2605.02396"),
  "Hi-Agent": arxiv("2510.14388"),
  "Hierarchy-of-Groups Policy Optimization": arxiv("2602.22817"),
  "Hierarchy-of-groups policy optimisation": arxiv("2602.22817"),
  HyperEyes: arxiv("2605.07177"),
  "Hölder Policy Optimisation": arxiv("2605.12058"),
  "I-MCTS": arxiv("2502.14693"),
  "Importance-weighted on-policy distillation": arxiv("2606.22600"),
  "Improving data efficiency for LLM reinforcement fine-tuning": arxiv("2506.05316"),
  InfoPO: arxiv("2603.00656"),
  KEPO: arxiv("2602.00400"),
  "LongVideo-R1": arxiv("2602.20913"),
  "Lookahead Tree-Based Rollouts": arxiv("2510.24302"),
  MAPO: arxiv("2603.06194"),
  MARS2: "https://doi.org/10.18653/v1/2026.acl-long.1538",
  "MC-GRPO": arxiv("2601.22582"),
  Maestro: arxiv("2605.22177"),
  MatchTIR: arxiv("2601.10712"),
  "Memory-R2": arxiv("2605.21768"),
  "Motion-o": arxiv("2603.18856"),
  "Multi-ORFT": arxiv("2604.11734"),
  "Ng, Harada and Russell 1999": "https://people.eecs.berkeley.edu/~russell/papers/icml99-shaping.pdf",
  OPID: arxiv("2606.26790"),
  "On-Policy Self-Evolution via Failure Trajectories": arxiv("2605.11882"),
  "One-Token Rollout": arxiv("2509.26313"),
  "Overcoming Catastrophic Forgetting in Visual Continual Learning": arxiv("2605.09640"),
  PANDO: arxiv("2605.24785"),
  PBSD: arxiv("2606.09348"),
  PORTool: arxiv("2510.26020"),
  ProAct: arxiv("2602.05327"),
  ProcVLM: arxiv("2605.08774"),
  "Prune as You Generate": arxiv("2603.24840"),
  R3L: arxiv("2601.03715"),
  RAFT: arxiv("2606.00147"),
  "RL-Struct": arxiv("2512.00319"),
  ROSE: arxiv("2601.05053"),
  "ReasonFlux-PRM": arxiv("2506.18896"),
  "Recycling Failures": arxiv("2602.24110"),
  "Reinforcement learning for self-improving agents with a skill library": arxiv("2512.17102"),
  "Rethinking Importance Sampling": arxiv("2605.07331"),
  SCOPE: arxiv("2604.10688"),
  SDPO: arxiv("2601.20802"),
  SSL: arxiv("2601.22491"),
  STaR: arxiv("2511.11233"),
  "Scaling Test-Time Compute for Agentic Coding": arxiv("2604.16529"),
  "Schulman 2020": "http://joschu.net/blog/kl-approx.html",
  "Self-Consistency": arxiv("2203.11171"),
  "Self-Induced Outcome Potential": arxiv("2605.04984"),
  "Self-distillation fine-tuning": arxiv("2601.19897"),
  "Sharing is Caring": arxiv("2509.08721"),
  Skill1: arxiv("2605.06130"),
  "Spend Less, Reason Better": arxiv("2603.12634"),
  TCOD: arxiv("2604.24005"),
  TRD: arxiv("2606.08432"),
  TableMind: arxiv("2509.06278"),
  "The optimal token baseline": arxiv("2602.07078"),
  "Training Language Models to Critique": arxiv("2410.15287"),
  "Trajectory-Refined Distillation": arxiv("2606.08432"),
  "Tree-Planner": arxiv("2310.08582"),
  TreePO: arxiv("2508.17445"),
  "TreePS-RAG": arxiv("2601.06922"),
  VAGEN: arxiv("2510.16907"),
  "Verified Critical Step Optimization": arxiv("2602.03412"),
  WebOperator: arxiv("2512.12692"),
  "When Are Teacher Tokens Reliable?": arxiv("2605.21606"),
  "Williams 1992": "https://doi.org/10.1007/BF00992696",
  "Williams and Peng 1991": "https://doi.org/10.1080/09540099108946587",
  XRPO: arxiv("2510.06672"),
  "beam search with step scores": arxiv("2408.03314"),
  "the common baseline of test-time compute": arxiv("2110.14168"),
};

const NAMED = new RegExp(
  `arXiv (\\d{4}\\.\\d{4,5})|(?<![\\w-])(?:${Object.keys(PAPERS)
    .toSorted((left, right) => right.length - left.length)
    .map((words) => words.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join("|")})(?![\\w-])`,
  "g",
);

/** The text of `info.paper` as Markdown, with what can be read as links. */
export function paperText(text: string): string {
  // Where the text gives a number of arXiv, that is the link: a name beside it would lead to the same place.
  const numbered = /arXiv \d/.test(text);
  let after = 0;
  const parts: string[] = [];
  for (const found of text.matchAll(NAMED)) {
    const [words, number] = found;
    const address = number === undefined ? (numbered ? undefined : PAPERS[words]) : arxiv(number);
    if (address === undefined) continue;
    parts.push(cell(text.slice(after, found.index)), `[${cell(words)}](${address})`);
    after = found.index + words.length;
  }
  return [...parts, cell(text.slice(after))].join("");
}
