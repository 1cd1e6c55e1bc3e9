import { MINT_TIERS } from '../../../protocol/endpoint.js';
import type { Module } from '../handler.js';
import {
  CERTIFICATE_CONTRACT_SUBJECT,
  certificateContractDetail,
  createCertificateContract,
  listCertificateContracts,
  settleCertificateContract,
} from './contracts.js';
import { mint } from './mint.js';
import { CERTIFICATE_SUBJECT, settleMove } from './moves.js';
import { OWNER_SUBJECT, settleOwner, transferOwner } from './owner.js';
import { listCertificates } from './reads.js';
import { CERTIFICATE_TABLES } from './tables.js';
import { certificateTransactions } from './transactions.js';
import { transferCertificate } from './transfer.js';

/** NFT certificates: contracts, mints, transfers and their list. */
export const CERTIFICATES: Module = {
  tables: CERTIFICATE_TABLES,
  handlers: {
    'certificate.contract.create': createCertificateContract,
    'certificate.contract.list': listCertificateContracts,
    'certificate.contract.detail': certificateContractDetail,
    ...Object.fromEntries(MINT_TIERS.map((tier) => [tier.endpoint, mint(tier)])),
    'certificate.list': listCertificates,
    'certificate.transactions': certificateTransactions,
    'certificate.transfer': transferCertificate,
    'certificate.owner-transfer': transferOwner,
  },
  start: ({ transactions }) => {
    transactions.onSettled(CERTIFICATE_CONTRACT_SUBJECT, settleCertificateContract);
    transactions.onSettled(CERTIFICATE_SUBJECT, settleMove);
    transactions.onSettled(OWNER_SUBJECT, settleOwner);
  },
};
