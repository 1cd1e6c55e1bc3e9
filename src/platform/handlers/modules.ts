import { AUDIT } from './audit/audit.js';
import { CERTIFICATES } from './certificates/certificates.js';
import { CONTRACTS } from './contracts/contracts.js';
import type { Module } from './handler.js';
import { WALLETS } from './wallets/wallets.js';

/** Every part of the service. */
export const MODULES: readonly Module[] = [CONTRACTS, AUDIT, WALLETS, CERTIFICATES];
