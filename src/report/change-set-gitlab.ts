import { countActions, type ChangeSet } from '../model/change.js';
import type { Json } from '../model/json.js';

/**
 * The counts that a GitLab merge request shows for an artifact of `reports: terraform`: to add, change and delete.
 * What is made anew counts as added, because the old one stays on the chain; nothing that Windlass does deletes
 * anything remote, so `delete` counts what leaves the lock.
 */
export function changeSetGitlab({ changes }: ChangeSet): Json {
  const counts = countActions(changes);
  return {
    create: counts.create + counts.deploy + counts.replace,
    update: counts.update,
    delete: counts.forget,
  };
}
