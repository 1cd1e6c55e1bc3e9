import type { Command } from 'commander';
import type { Register } from './program.js';
import type { Terminal } from './terminal.js';

/** Adds `platform` and its commands. */
export function addPlatformCommands(program: Command, _terminal: Terminal, _register: Register): void {
  void program;
}
