import type { ChangeSet } from '../model/change.js';
import { countChangeSet } from '../model/counts.js';
import type { Json } from '../model/json.js';

/**
 * The counts that a GitLab merge request shows for an artifact of `reports: terraform`: to add, change and delete, which
 * add up to the changes of the change set. What is made anew counts as added, because the old one stays on the chain; what
 * only the lock learns counts as changed; nothing that Windlass does deletes anything remote, so `delete` counts what leaves
 * the lock.
 */
export function changeSetGitlab(changeSet: ChangeSet): Json {
  const { create, deploy, replace, update, adopt, move, forget } = countChangeSet(changeSet);
  return { create: create + deploy + replace, update: update + adopt + move, delete: forget };
}
