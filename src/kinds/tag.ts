import type { Kind } from './kind.js';
import { createLabel, labelKind } from './label.js';
import type { Operation } from './operation.js';

/** A tag of audit records. */
export const tag: Kind<'tag'> = labelKind('tag', 'audit.tag.list');

/** Creates a tag. */
export const createTag: Operation = createLabel('audit.tag.create', 'audit.tag.list');
