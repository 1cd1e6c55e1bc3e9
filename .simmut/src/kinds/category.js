import { createLabel, labelKind } from './label.js';
/** A category of audit records. */
export const category = labelKind('category', 'audit.category.list');
/** Creates a category. */
export const createCategory = createLabel('audit.category.create', 'audit.category.list');
