/** A key in a generated plan, and what its schema says of it. */
export interface PlacedKey {
  /** Dotted, for messages. */
  readonly path: string;
  /** From 0. */
  readonly line: number;
  readonly character: number;
  readonly description: string;
  /** The first example as JSON. */
  readonly example: string;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
}

/**
 * A text with every key that a schema of plans knows, each once in its place, whether or not they go together: `env` and
 * `file` stand side by side. Maps with free names have one entry, whose key is explained by what its value is.
 */
export function planOfEveryKey(schema: object): {
  readonly text: string;
  readonly keys: readonly PlacedKey[];
} {
  const lines: string[] = [];
  const keys: PlacedKey[] = [];
  const write = (name: string, about: Schema, depth: number, path: string): void => {
    const character = depth * 2;
    const { description = '', examples = [] } = about;
    keys.push({
      path,
      line: lines.length,
      character,
      description,
      example: JSON.stringify(examples[0] ?? ''),
    });
    const inside = membersOf(about);
    const value = inside.length === 0 ? ` ${JSON.stringify(examples[0] ?? about.const ?? 'x')}` : '';
    lines.push(`${' '.repeat(character)}${name}:${value}`);
    for (const [member, schemaOfMember] of inside)
      write(member, schemaOfMember, depth + 1, `${path}.${member}`);
  };
  for (const [name, about] of membersOf(schema)) write(name, about, 0, name);
  return { text: `${lines.join('\n')}\n`, keys };
}

function membersOf({
  properties = {},
  additionalProperties,
}: Schema): readonly (readonly [string, Schema])[] {
  const free = typeof additionalProperties === 'object' ? [['sample', additionalProperties] as const] : [];
  return [...Object.entries(properties), ...free];
}
