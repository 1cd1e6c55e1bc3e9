import type { Module } from './handler.js';

/** Every part of the service. */
export const MODULES: readonly Module[] = [];
