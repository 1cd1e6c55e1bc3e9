import { isEmpty, type ChangeSet } from '../model/change.js';
import { countChangeSet } from '../model/counts.js';
import type { Json } from '../model/json.js';
import { countIrreversible } from './change-lines.js';

/** The document of `plan --format json`: the change set with its counts. `format` grows with breaking changes. */
export function changeSetJson(changeSet: ChangeSet): Json {
  const { plan, environment, changes, steps, partial, notices, unsettled = [] } = changeSet;
  const document = {
    format: 1,
    plan,
    environment,
    empty: isEmpty(changeSet),
    partial,
    counts: countChangeSet(changeSet),
    irreversible: countIrreversible(changes),
    changes,
    steps,
    notices,
    unsettled,
  };
  return JSON.parse(JSON.stringify(document)) as Json;
}
