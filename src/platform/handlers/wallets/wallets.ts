import type { Module } from '../handler.js';
import { switchWallet, updateWallet } from './changes.js';
import { createOrganisationWallet, createUserWallet } from './create.js';
import { listWallets, walletDetail } from './reads.js';
import { USER_TABLES } from './tables.js';

/** Custodial wallets of people and of the organisation. */
export const WALLETS: Module = {
  tables: USER_TABLES,
  handlers: {
    'wallet.create-user': createUserWallet,
    'wallet.create': createOrganisationWallet,
    'wallet.list': listWallets,
    'wallet.detail': walletDetail,
    'wallet.update': updateWallet,
    'wallet.activate': switchWallet('activate'),
    'wallet.deactivate': switchWallet('deactivate'),
  },
};
