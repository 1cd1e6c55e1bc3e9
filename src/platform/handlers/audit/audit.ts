import type { Module } from '../handler.js';
import {
  AUDIT_CONTRACT_SUBJECT,
  auditContractDetail,
  createAuditContract,
  listAuditContracts,
  settleAuditContract,
} from './contracts.js';
import { deleteLabel, switchLabel, updateLabel } from './label-changes.js';
import { createLabel, labelDetail, listLabels } from './labels.js';
import { auditRecordDetail, auditTransactions, listAuditRecords } from './reads.js';
import { relabelAuditRecord } from './relabel.js';
import { AUDIT_RECORD_SUBJECT, createAuditRecord, settleAuditRecord } from './records.js';
import { AUDIT_TABLES } from './tables.js';

/** The audit trail: contracts, categories, tags and records. */
export const AUDIT: Module = {
  tables: AUDIT_TABLES,
  handlers: {
    'audit.contract.create': createAuditContract,
    'audit.contract.list': listAuditContracts,
    'audit.contract.detail': auditContractDetail,
    'audit.category.create': createLabel('category'),
    'audit.category.list': listLabels('category'),
    'audit.category.detail': labelDetail('category'),
    'audit.category.update': updateLabel('category'),
    'audit.category.delete': deleteLabel('category'),
    'audit.category.activate': switchLabel('category', 'activate'),
    'audit.category.deactivate': switchLabel('category', 'deactivate'),
    'audit.tag.create': createLabel('tag'),
    'audit.tag.list': listLabels('tag'),
    'audit.tag.detail': labelDetail('tag'),
    'audit.tag.update': updateLabel('tag'),
    'audit.tag.delete': deleteLabel('tag'),
    'audit.tag.activate': switchLabel('tag', 'activate'),
    'audit.tag.deactivate': switchLabel('tag', 'deactivate'),
    'audit.record.create': createAuditRecord,
    'audit.record.list': listAuditRecords,
    'audit.record.detail': auditRecordDetail,
    'audit.record.label': relabelAuditRecord,
    'audit.transactions': auditTransactions,
  },
  start: ({ transactions }) => {
    transactions.onSettled(AUDIT_CONTRACT_SUBJECT, settleAuditContract);
    transactions.onSettled(AUDIT_RECORD_SUBJECT, settleAuditRecord);
  },
};
