import { createLabel, labelKind } from './label.js';
/** A tag of audit records. */
export const tag = labelKind('tag', 'audit.tag.list');
/** Creates a tag. */
export const createTag = createLabel('audit.tag.create', 'audit.tag.list');
