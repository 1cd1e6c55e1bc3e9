import { digestOf } from '../../src/model/canonical.js';
import type { Json, JsonObject } from '../../src/model/json.js';
import type { WriteRequest } from '../../src/kinds/operation.js';
import { sentText } from '../support/builders.js';
import { Accounts, signedCreation } from './accounts.js';
import { ARTIFACTS } from './artifacts.js';
import { recordGroup, Truth, type Effect } from './truth.js';
import type { Time } from './time.js';

/** One thing that the service holds, and when its lists begin to show it. */
export interface Row {
  readonly fields: { [key: string]: Json };
  visibleMs: number;
}

/** How one accepted write goes on. */
export interface Fate {
  /** The chain refuses it (a deployment: all but its first contract). */
  readonly reverted: boolean;
  /** How long the lists do not show it after it happened. */
  readonly lagMs: number;
  /** Done by somebody else: nothing that the engine has to account for. */
  readonly strange?: boolean;
  /** With a wallet of theirs. */
  readonly foreign?: boolean;
}

/** A write that was executed: the answer, and what happens when the chain has it. */
export interface Executed {
  readonly result: JsonObject;
  /** Happens once, later; returns the body of the callback. Absent: the write is over. */
  readonly confirm?: () => JsonObject;
}

/** The service cannot do what is asked: a refusal without effect. */
export class Refusal extends Error {}

const ZERO = `0x${'0'.repeat(40)}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A small reference model of the service: every write of the interface, its tables, and the truth about them. */
export class Platform {
  readonly truth = new Truth();
  readonly accounts = new Accounts();
  readonly #time: Time;
  readonly #tables = new Map<string, Row[]>();
  readonly #owners = new Map<string, { owner: string; readonly name: string }>();
  #serial = 0;

  constructor(time: Time) {
    this.#time = time;
  }

  rows(table: string): Row[] {
    const rows = this.#tables.get(table) ?? [];
    this.#tables.set(table, rows);
    return rows;
  }

  /** Does what is asked; the same request again makes a second thing. @throws Refusal */
  execute({ endpoint, params, body }: WriteRequest, fate: Fate): Executed {
    if (endpoint === 'version.deploy') return this.#deploy(params['versionSlug'] ?? '', body, fate);
    if (endpoint === 'version.create' || endpoint === 'version.update')
      return this.#compile(params, body, fate);
    if (endpoint.startsWith('certificate.mint')) return this.#mint(body, fate);
    if (endpoint === 'certificate.transfer') return this.#transfer(body, fate);
    if (endpoint === 'audit.record.create') return this.#record(body, fate);
    if (endpoint === 'audit.contract.create')
      return this.#contract('audit-contract', 'audit.contract.list', body, fate);
    if (endpoint === 'certificate.contract.create')
      return this.#contract('certificate-contract', 'certificate.contract.list', body, fate);
    return this.#named(endpoint, body);
  }

  #named(endpoint: string, body: JsonObject): Executed {
    this.#serial += 1;
    const id = this.#serial;
    const name = sentText(body['name'] ?? body['project_name']);
    if (endpoint === 'wallet.create-user') {
      const made = this.#address();
      this.#insert('wallet.list', { address: made, name });
      this.truth.add({ group: `wallet:${name}`, address: made });
      return { result: { wallet: { wallet_address: made } } };
    }
    if (endpoint === 'project.create') {
      const slug = this.rows('project.list').some(({ fields }) => fields['slug'] === name)
        ? `${name}-${id}`
        : name;
      this.#insert('project.list', { slug, project_name: name });
      this.truth.add({ group: `project:${name}`, slug });
      return { result: { slug, project_name: name } };
    }
    const kind = endpoint === 'audit.tag.create' ? 'tag' : 'category';
    this.#insert(`audit.${kind}.list`, { id, name });
    this.truth.add({ group: `${kind}:${name}`, id });
    return { result: { id, name } };
  }

  #compile(params: Readonly<Record<string, string>>, body: JsonObject, { reverted }: Fate): Executed {
    const name = textOf(body['version']);
    const project = params['projectSlug'] ?? '';
    const known = this.rows('version.list').find(({ fields }) => fields['slug'] === params['versionSlug']);
    if (params['versionSlug'] !== undefined && known === undefined) throw new Refusal('no such version');
    if (known?.fields['status'] === 'deployed') throw new Refusal('the version is deployed');
    this.#serial += 1;
    const slug = textOf(known?.fields['slug'] ?? `${this.#serial}-${name}`);
    const row = known ?? this.#insert('version.list', { version: name, slug, project, emitted_events: [] });
    const compiler = JSON.parse(JSON.stringify(body['compiler_settings'] ?? {}).replace('"v0', '"0')) as Json;
    Object.assign(row.fields, {
      status: 'compile_queued',
      artifacts: [],
      latest_error: '',
      compiler_settings: compiler,
      packages: [],
      contract_files: [],
      updated_at: this.#now(),
    });
    const effect = { group: `version:${name}`, slug };
    const live = (): boolean => this.truth.of(effect.group).some((other) => other.slug === slug);
    const isNew = !live();
    if (isNew) this.truth.add(effect);
    return {
      result: { slug, version: name, status: 'compile_queued' },
      confirm: () => {
        Object.assign(row.fields, { last_compiled_at: this.#now(), updated_at: this.#now() });
        if (reverted && isNew) this.truth.drop(effect);
        else if (!live()) this.truth.add(effect);
        Object.assign(
          row.fields,
          reverted ? { latest_error: 'ParserError' } : { artifacts: ARTIFACTS, status: 'compiled' },
        );
        return {};
      },
    };
  }

  #deploy(slug: string, body: JsonObject, fate: Fate): Executed {
    const version = this.rows('version.list').find(({ fields }) => fields['slug'] === slug);
    if (version === undefined || (version.fields['artifacts'] as Json[]).length === 0)
      throw new Refusal('the version is not compiled');
    this.#serial += 1;
    const deploymentId = `registry_${slug}_${Math.floor(this.#time.nowMs / 1000)}${this.#serial}`;
    const items = body['deployment_params'] as readonly JsonObject[];
    const from = textOf((body['wallet_options'] as JsonObject)['address']);
    for (const item of items) {
      const signed = signedCreation(item);
      if (signed !== undefined) this.accounts.submit(signed);
    }
    return {
      result: { deployment_id: deploymentId, status: 'pending' },
      confirm: () => {
        const made: JsonObject[] = [];
        let error = '';
        for (const [index, item] of items.entries()) {
          const artifact = ARTIFACTS.find(({ id }) => id === item['sc_artifact_id']);
          if (artifact === undefined) throw new Error('artifact ids come from the version');
          const address = this.#created(item, from);
          if (typeof address === 'object') ({ error } = address);
          else if (fate.reverted && index === Math.min(1, items.length - 1)) error = 'constructor reverted';
          if (error !== '' || typeof address === 'object') break;
          const params = item['params'] ?? null;
          made.push(this.#instance({ version, deploymentId, from, artifact, address, params, fate }));
        }
        Object.assign(version.fields, { latest_error: error, updated_at: this.#now() });
        if (error === '')
          Object.assign(version.fields, { status: 'deployed', last_deployed_at: this.#now() });
        return {
          status: error === '' ? 'Completed' : 'Error',
          message: error === '' ? 'Success' : error,
          deployment_id: deploymentId,
          deployed_contract_addresses: made,
        };
      },
    };
  }

  /** Where a contract of a deployment goes, or why nothing is made. */
  #created(item: JsonObject, from: string): string | { readonly error: string } {
    const signed = signedCreation(item);
    if (signed === undefined) return this.accounts.create(from);
    const mined = this.accounts.mine(signed);
    return 'error' in mined ? mined : mined.address;
  }

  #instance(how: {
    readonly version: Row;
    readonly address: string;
    readonly deploymentId: string;
    readonly from: string;
    readonly artifact: (typeof ARTIFACTS)[number];
    readonly params: Json;
    readonly fate: Fate;
  }): JsonObject {
    const { version, deploymentId, artifact, from, address, params, fate } = how;
    const name = artifact.contract_name;
    const shown = { contract_address: address, contract_name: name };
    const transaction = this.#hash();
    const receipt = { transactionHash: transaction, from, to: null, contractAddress: address, status: true };
    this.#insert('receipts', receipt);
    this.#insert(
      'instance.list',
      {
        ...shown,
        deployment_params: params,
        deployment: deploymentId,
        version: version.fields['slug'] ?? '',
      },
      fate.lagMs,
    );
    if (artifact.contract_abi.some(({ type }) => type === 'event'))
      this.#insert(`events ${textOf(version.fields['slug'])}`, { ...shown, events: [] }, fate.lagMs);
    const effect = { group: `contract:${name}`, address, transaction };
    if (fate.strange !== true) this.truth.add(effect);
    else this.truth.strange.push(fate.foreign === true ? { ...effect, foreign: true } : effect);
    return { sc_artifact_id: artifact.id, contract_address: address, receipt };
  }

  #contract(kind: string, table: string, body: JsonObject, fate: Fate): Executed {
    const address = this.#address();
    const transaction = this.#hash();
    const from = textOf(body['wallet_address'] ?? ZERO);
    const named = { contract_address: address, contract_name: textOf(body['name']) };
    // The interface answers `pending` alone for audit contracts.
    const result = {
      status: 'pending',
      ...(kind === 'certificate-contract' && { transactionHash: transaction }),
    };
    const receipt = { transactionHash: transaction, from, to: null, contractAddress: address };
    const effect = { group: `${kind}:${named.contract_name}`, address, transaction };
    const owner = (body['field'] as JsonObject)['wallet_address_owner'];
    if (owner !== undefined) this.#insert('owners', { contract: address, owner });
    return this.#transact({ result, receipt, effect, fate, table, row: named });
  }

  #record(body: JsonObject, fate: Fate): Executed {
    const metadata = textOf(body['metadata']);
    const from = textOf(body['wallet_address']);
    const to = textOf(body['contract_address']);
    const transaction = this.#hash();
    const metadatahash = `$2y$${digestOf(metadata).slice(7, 20)}`;
    const row = { metadata, metadatahash, from, contract_address: to, wallet_address: from };
    const receipt = { transactionHash: transaction, from, to };
    const result = { transactionHash: transaction, metadatahash };
    const effect = { group: recordGroup(metadata), transaction };
    return this.#transact({ result, receipt, effect, fate, table: 'audit.transactions', row });
  }

  #mint(body: JsonObject, fate: Fate): Executed {
    this.#serial += 1;
    const tokenId = String(this.#serial);
    const name = textOf(body['name']);
    const to = textOf(body['to']);
    const certificate = `/documents/${tokenId}.json`;
    const attributes = JSON.parse(textOf(body['attributes'])) as Json;
    this.#insert('documents', { url: certificate, json: { name, attributes } });
    const moved = this.#moved({
      tokenId,
      from: ZERO,
      to,
      contract: textOf(body['contract_address']),
      certificate,
      mint: true,
    });
    return this.#transact({
      ...moved,
      result: { ...moved.result, nft_token_id: Number(tokenId), certificate },
      effect: { ...moved.effect, group: `mint:${name}`, tokenId },
      fate,
      done: () => this.#owners.set(tokenId, { owner: to, name }),
    });
  }

  #transfer(body: JsonObject, fate: Fate): Executed {
    const tokenId = textOf(body['nft_id']);
    const from = textOf(body['wallet_address']);
    const to = textOf(body['to']);
    const contract = textOf(body['contract_address']);
    const certificate = `/documents/${tokenId}.json`;
    const name = this.#owners.get(tokenId)?.name ?? tokenId;
    const moved = this.#moved({ tokenId, from, to, contract, certificate, mint: false });
    return this.#transact({
      ...moved,
      effect: { ...moved.effect, group: `transfer:${name}` },
      fate,
      // The chain refuses what the sender does not own.
      possible: () => this.#owners.get(tokenId)?.owner.toLowerCase() === from.toLowerCase(),
      done: () => this.#owners.set(tokenId, { owner: to, name }),
    });
  }

  #moved(move: {
    readonly tokenId: string;
    readonly from: string;
    readonly to: string;
    readonly contract: string;
    readonly certificate: string;
    readonly mint: boolean;
  }): Pick<Transaction, 'result' | 'receipt' | 'effect' | 'table' | 'row'> {
    const { tokenId, from, to, contract, certificate, mint } = move;
    const transaction = this.#hash();
    const word = (text: string): string => `0x${text.slice(2).padStart(64, '0')}`;
    const topics = [TRANSFER, word(from), word(to), word(`0x${Number(tokenId).toString(16)}`)];
    return {
      result: { transactionHash: transaction },
      receipt: { transactionHash: transaction, from, to: contract, logs: [{ address: contract, topics }] },
      effect: { group: '', transaction },
      table: 'certificate.list',
      row: {
        nft_token_id: Number(tokenId),
        from_wallet: from,
        to_wallet: to,
        contract_address: contract,
        certificate,
        is_mint: mint ? 1 : 0,
      },
    };
  }

  #transact(what: Transaction): Executed {
    const { result, effect, fate } = what;
    const transactionHash = effect.transaction ?? '';
    const row = this.#insert(what.table, { ...what.row, transactionHash, status: 'pending' }, fate.lagMs);
    // Lists of contracts show those that exist; lists of transactions show how each stands.
    const listsPending = !what.table.includes('contract');
    if (!listsPending) row.visibleMs = Number.POSITIVE_INFINITY;
    return {
      result,
      confirm: () => {
        const succeeded = !fate.reverted && what.possible?.() !== false;
        row.fields['status'] = succeeded ? 'success' : 'failed';
        if (succeeded || listsPending) row.visibleMs = this.#time.nowMs + fate.lagMs;
        const receipt = { ...what.receipt, status: succeeded };
        this.#insert('receipts', receipt);
        if (succeeded) {
          if (fate.strange === true) this.truth.strange.push(effect);
          else this.truth.add(effect);
          what.done?.();
        }
        const failure = succeeded ? {} : { message: 'execution reverted' };
        return { status: succeeded ? 'success' : 'failed', transactionHash, receipt, ...failure };
      },
    };
  }

  #insert(table: string, fields: JsonObject, lagMs = 0): Row {
    const row: Row = { fields: { ...fields }, visibleMs: this.#time.nowMs + lagMs };
    this.rows(table).push(row);
    return row;
  }

  #address(): string {
    this.#serial += 1;
    return `0x${digestOf(`address ${this.#serial}`).slice(7, 47)}`;
  }

  #hash(): string {
    this.#serial += 1;
    return `0x${digestOf(`hash ${this.#serial}`).slice(7)}`;
  }

  #now(): string {
    return new Date(this.#time.nowMs).toISOString();
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

interface Transaction {
  readonly result: JsonObject;
  readonly receipt: JsonObject;
  readonly effect: Effect;
  readonly table: string;
  readonly row: JsonObject;
  readonly fate: Fate;
  readonly possible?: () => boolean;
  readonly done?: () => void;
}
