/**
 * OPID, on-policy distillation of hindsight skills.
 *
 * The agent plays each task several times. Afterwards, and only then, it is clear which episodes worked and where they
 * parted ways. That hindsight is written down as skills: a workflow or a warning for the whole episode, and advice for
 * the few decisions that mattered. A teacher then reads the agent's own words again, this time with the skill in front
 * of it. Words it now finds likelier were good words; words it finds less likely were poor ones. So every single token
 * gets a signal of its own, beside the outcome of the episode, and no new text has to be sampled for it.
 */
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { teacherSettings, teachSkills } from "./teacher-settings.ts";
import { collect } from "../update/collect.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";

export const opid = defineRecipe({
  info: {
    title: "OPID",
    paper: "OPID: On-Policy Skill Distillation for Agentic Reinforcement Learning",
    confidence: "code",
    source:
      "jinyangwu/OPID @ 37a15a5f; gigpo/core_gigpo.py: compute_opid_outcome_advantage; verl/trainer/ppo/core_algos.py: compute_opd_loss",
    meaning: "Learns from the outcome, and from what a skill written in hindsight would have changed, token by token.",
    departures: [
      "Where all episodes of a task end alike, an invalid action costs nothing here: a policy that never succeeds would learn from the penalty alone, and fall silent. Published code lets it cost there too. Setting penaltyGroups.",
      "The teacher is the frozen start, not the policy itself (setting teacher): at this size the policy forgets how to follow advice while it trains without, and a teacher that forgets drags it down.",
      "The teacher speaks by its whole distribution at every token (by its 64 likeliest words where a vocabulary has more than 8,192), as a loss (form forward, divergenceWeight 1). Published is the shift of the sampled token as an advantage (form shift) with weight 0.001, here 0.3: their model is a thousand times larger and trains a hundred times longer.",
      "Beneath the teacher is GiGPO's credit (credit.mode mean_norm, credit.stepAdvantageWeight 1). Published is the group's outcome alone, in one ALFWorld script and in search divided by its deviation: in a group that failed throughout, the penalty of invalid actions is then all that counts.",
      "Form, weight, credit and learning rate were chosen on validation tasks and confirmed on others; docs/evidence/results/opid-study.md has the figures.",
      "Skills come from the statistics of the group (setting analyst), so that no second model is needed; published code lets a chat model read each episode by itself, with at most 5 step skills (2 in search; 1 in its configuration). A model that is asked here (analyst model) has a prompt of our own: the most important step skills first, texts of more than 4,000 characters cut; published code does neither.",
      "Published skill_teacher_mode is two settings here: with form shift the second teacher of mode additive counts only where routing and credit.teacherMode are both additive. With form forward a step with a skill of its own has that teacher alone, in mode additive too.",
      "A skill is one line of the teacher's prompt (sections compact). Published is a title, an instruction and the skill in brackets; sections published has that form, in other words.",
      "When the schedule has the teacher off, no analysis is made; published code pays for it all the same.",
      "Preset paper has the ALFWorld script's rate, divergence from the start, credit, 16 tasks of 8, 30 steps an episode, and by its configuration an entropy bonus of 0.001 and weight decay 0.01. That script also has steps of 256 rows (preset: 4 an update), prompts with 5 turns of history and 10 for success; the preset leaves those as here (one growing conversation, 1 for success).",
    ],
  },
  credit: "opid",
  creditDefaults: { mode: "mean_norm", stepAdvantageWeight: 1, episodeWeight: 0.3, stepWeight: 0.3 },
  settings: {
    ...teacherSettings,
    form: { ...teacherSettings.form, default: "forward" },
    divergenceWeight: { ...teacherSettings.divergenceWeight, default: 1 },
    learningRate: { ...sharedSettings.learningRate, default: 1e-4 },
  },
  presets: {
    // run_alfworld_opid_guide.sh; the two other ALFWorld scripts have credit.mode mean_norm, one of them teacher mode additive.
    paper: {
      teacher: "self",
      form: "shift",
      analyst: "model",
      sections: "published",
      "credit.mode": "mean_std_norm",
      "credit.stepAdvantageWeight": 0,
      "credit.episodeWeight": 0.001,
      "credit.stepWeight": 0.001,
      divergenceWeight: 0,
      learningRate: 1e-6,
      klWeight: 0.01,
      miniBatches: 4,
      tasks: 16,
      group: 8,
      maxSteps: 30,
      answerTokens: 512,
      guard: false,
      penaltyGroups: "all",
      idleSteps: true,
      entropyWeight: 0.001,
      weightDecay: 0.01,
    },
  },
  update: async (update, settings) => {
    // 1. Act: a group of independent episodes for every task.
    const episodes = await collect(update);

    // 2. Look back: what worked, what failed, and at which steps it was decided. A teacher scores the same words again with
    //    that skill in its context: at a critical step its own advice, elsewhere the skill of the episode.
    const { said, crediting, terms } = await teachSkills(update, settings, episodes);

    // 3. Credit: the outcome against the group's, every step against others from the same state, and, token by token,
    //    the teacher's own probabilities.
    const { rows } = await credit(update, episodes, said, crediting);

    // 4. Learn from both.
    await learn(update, rows, "clipped", terms);
  },
});
