/** Answers that mean the same, by whatever says whether one follows from another: the first half of SIOP. */

/**
 * First fit: an answer joins the first cluster whose opener it entails and is entailed by. Null stands for no answer and
 * belongs to none. Clusters are named by the index of their opener, so they depend on the order of answers.
 */
export function clusterAnswers(
  answers: readonly (string | null)[],
  entails: (premise: string, claim: string) => boolean,
): (string | null)[] {
  const openers: { readonly id: string; readonly text: string }[] = [];
  return answers.map((answer, at) => {
    if (answer === null) return null;
    const known = openers.find(({ text }) => entails(text, answer) && entails(answer, text));
    if (known !== undefined) return known.id;
    const opener = { id: String(at), text: answer };
    openers.push(opener);
    return opener.id;
  });
}

/** Up to `most` different answers of each cluster, in their order: what stands for it when likelihoods are scored. */
export function clusterReferences(
  answers: readonly (string | null)[],
  clusters: readonly (string | null)[],
  most = 3,
): ReadonlyMap<string, readonly string[]> {
  const references = new Map<string, string[]>();
  for (const [at, cluster] of clusters.entries()) {
    const answer = answers[at];
    if (cluster === null || answer === null || answer === undefined) continue;
    const known = references.get(cluster) ?? [];
    references.set(cluster, known);
    if (known.length < most && !known.includes(answer)) known.push(answer);
  }
  return references;
}
