import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';

/** Schemas that are checked against what is written. */
type Published = 'lock' | 'journal' | 'change-set';

/** A published schema, or a definition in it, as a validator; strict, so that a mistake in the schema fails too. */
export function schemaValidator(file: Published, definition = ''): ValidateFunction {
  const url = new URL(`../../schemas/${file}.schema.json`, import.meta.url);
  const schema = JSON.parse(readFileSync(url, 'utf8')) as { readonly $id: string };
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  ajv.addSchema(schema);
  const found = ajv.getSchema(`${schema.$id}${definition}`);
  if (found === undefined) throw new Error(`${file} has no ${definition}`);
  return found;
}

/** Every place of a schema that describes a value but lacks a description or an example. */
export function undescribed(file: Published): readonly string[] {
  const url = new URL(`../../schemas/${file}.schema.json`, import.meta.url);
  const missing: string[] = [];
  const visit = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const node = schema as Readonly<Record<string, unknown>>;
    for (const [name, property] of Object.entries(node['properties'] ?? {})) {
      const described = property as {
        readonly description?: string;
        readonly examples?: readonly unknown[];
        readonly $ref?: string;
      };
      // What a property refers to is described where it stands.
      if (described.$ref !== undefined) continue;
      if (!described.description || !described.examples?.length) missing.push(`${path}/${name}`);
      visit(property, `${path}/${name}`);
    }
    for (const [name, definition] of Object.entries(node['definitions'] ?? {}))
      visit(definition, `${path}#${name}`);
    visit(node['additionalProperties'], `${path}/*`);
  };
  visit(JSON.parse(readFileSync(url, 'utf8')), file);
  return missing;
}
