import { EXIT, type ExitCode } from '../../model/error-codes.js';
import { readSchema, type SchemaName } from '../../schemas.js';
import type { Terminal } from '../terminal.js';

/** Prints a JSON Schema as it stands in the package. */
export async function schema(terminal: Terminal, name: SchemaName): Promise<ExitCode> {
  terminal.out.write(readSchema(name));
  return EXIT.done;
}
