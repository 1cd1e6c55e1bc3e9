import type { Kind } from './kind.js';
import { createLabel, labelKind } from './label.js';
import type { Operation } from './operation.js';

/** A category of audit records. */
export const category: Kind<'category'> = labelKind('category', 'audit.category.list');

/** Creates a category. */
export const createCategory: Operation = createLabel('audit.category.create', 'audit.category.list');
