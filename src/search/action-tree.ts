/** Plans merged into one tree (Tree-Planner): what they begin with in common is one path, where they part is a fork. */

export interface ActionNode {
  readonly action: string;
  /** Plans that pass here, each counted with its weight. */
  weight: number;
  /** How many of them end here. */
  ends: number;
  /** Tried on the ground and found impossible, or leading nowhere. */
  closed: boolean;
  readonly children: ActionNode[];
}

export interface Plan {
  readonly actions: readonly string[];
  readonly weight: number;
}

/** `same` gives one text to actions that mean the same. Children stand in the order in which plans brought them. */
export function mergePlans(plans: readonly Plan[], same: (action: string) => string): ActionNode {
  const root: ActionNode = createNode("");
  for (const { actions, weight } of plans) {
    let node = root;
    node.weight += weight;
    for (const action of actions) {
      const key = same(action);
      let child = node.children.find((one) => same(one.action) === key);
      if (child === undefined) node.children.push((child = createNode(action)));
      child.weight += weight;
      node = child;
    }
    node.ends += 1;
  }
  return root;
}

/** Children that may still be tried, the most wanted first; of equal ones the earlier. */
export function openChildren(node: ActionNode): ActionNode[] {
  return node.children.filter(({ closed }) => !closed).toSorted((left, right) => right.weight - left.weight);
}

/** All nodes below this one. */
export function countNodes(node: ActionNode): number {
  return node.children.reduce((total, child) => total + 1 + countNodes(child), 0);
}

function createNode(action: string): ActionNode {
  return { action, weight: 0, ends: 0, closed: false, children: [] };
}
