/** Why a method is not compared with published code. */
export const NOT_COMPARED: Readonly<Record<string, string>> = {
  "a-star":
    "its numbers stand in test/published, with the V* of ZhaolinGao/A-PO; its loss is compared: advantage-regression",
  a2tgpo:
    "CuSO4-Chen/A-TGPO: its function was run apart, and packages/core/src/credit/a2tgpo.test.ts compares (test/published/a2tgpo.json)",
  "candidate-divergence": "an objective of this project over the most probable tokens",
  cosearch:
    "its numbers stand in test/published, with those of snap-research/CoSearch: the reward, the groups and GRPO, as its script calls them",
  dapo: "its parts are GRPO and the clipped loss, which are compared; the overlong penalty is inside verl's reward manager, the filter inside a trainer",
  "entropy-bonus": "entropies come from the model; verl's compute_entropy_loss takes logits",
  "iw-opd": "its numbers stand in test/published, with those of huggingface/trl",
  "mc-critic": "its numbers stand in test/published, with those of GreatX3/ProAct",
  "mc-grpo":
    "its numbers stand in test/published, with those of lotusroot-kim/MC-GRPO, whose trainer holds the formula",
  ngrpo: "its numbers stand in test/published, with those of nangongrui-ngr/NGRPO",
  opd: "its numbers stand in test/published, with those of thinking-machines-lab/tinker-cookbook",
  "sd-grpo":
    "its scalar forms stand in test/published, with the numbers of zhangguanghao523/DynFrame; its segments have no public code",
  sdpo: "its numbers stand in test/published, with those of lasgroup/SDPO",
  rapo: "LMMMEng/RaPO: cut out of its trainer's file; numbers of that are in test/published/rapo.json, which its test compares",
  "step-grpo": "from an abstract; Trinity's StepWiseGRPOAdvantageFn is another method of that name",
  "teacher-divergence": "from papers on distillation; no single reference",
  xrpo: "no code of its authors was found; Wodlfvllf/grpo-composer, not by them, raises wrong answers too, which the paper does not",
};

/**
 * Methods whose code was looked for, by the name of the method and of its paper, on the day of the last run, and was not
 * found. Of a method that stands in neither list nobody has looked.
 */
export const NONE_FOUND: ReadonlySet<string> = new Set([
  "aopd",
  "co-grpo",
  "hi-agent",
  "mapo",
  "otr",
  "pbsd",
  "portool",
  "pre-grpo",
  "sampled-divergence",
  "shaped-ratio",
  "skill1",
  "ssl",
  "treeps-rag",
  "vg-grpo",
]);
