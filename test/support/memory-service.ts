import { canonicalJson, digestOf } from '../../src/model/canonical.js';
import type { Json, JsonObject } from '../../src/model/json.js';
import type { Service, WriteAnswer } from '../../src/execute/ports.js';
import type { Abilities } from '../../src/kinds/kind.js';
import type { ReadAnswer, ReadRequest, WriteRequest } from '../../src/kinds/operation.js';
import type { EndpointName } from '../../src/protocol/endpoint.js';
import { address, hash, sentText } from './builders.js';
import { MemoryInbox } from './memory-inbox.js';
import { answerRead, Tables, type Row } from './memory-tables.js';
import type { VirtualClock } from './virtual-clock.js';

/**
 * What happens to a write: `lost`: it never arrives and nobody can tell; `unanswered`: it takes effect and the answer is
 * lost; `reverted`: it is accepted and the chain refuses it.
 */
export type Fate = 'accepted' | 'not_sent' | 'rejected' | 'limited' | 'lost' | 'unanswered' | 'reverted';

/** How callbacks travel. `early`: before the answer. */
export type Delivery = 'once' | 'never' | 'twice' | 'early';

interface Write {
  readonly endpoint: EndpointName;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly reverted: boolean;
}

/** What a write made: the answer, and what happens once the chain has it. */
interface Accepted {
  readonly result: JsonObject;
  /** Changes the tables and returns the body of the callback; absent: nothing is asynchronous. */
  readonly confirm?: () => JsonObject;
}

/**
 * A small honest model of the service: it accepts writes, holds their effects, confirms them later, calls back and
 * answers reads. Names of what it makes follow from what was asked, so that runs which take different ways compare.
 */
export class MemoryService implements Service {
  /** How often each write, by its content, took effect that was not taken back. */
  readonly effects = new Map<string, number>();
  /** Every write that arrived or was lost on the way, by the step's resource or endpoint. */
  readonly sent: string[] = [];
  delivery: Delivery = 'once';
  fate: (request: WriteRequest, step: string | undefined) => Fate = () => 'accepted';
  inbox: MemoryInbox;
  readonly #clock: VirtualClock;
  readonly #abilities: Abilities;
  readonly #arrivals = new Map<string, number>();
  readonly #tables = new Tables();
  /** Writes that have no outcome yet. */
  #pending = 0;

  constructor(clock: VirtualClock, abilities: Abilities) {
    this.#clock = clock;
    this.#abilities = abilities;
    this.inbox = new MemoryInbox();
  }

  async write(request: WriteRequest, callbackUrl: string | undefined): Promise<WriteAnswer> {
    await Promise.resolve();
    const fate = this.fate(request, callbackUrl);
    this.sent.push(callbackUrl ?? request.endpoint);
    if (fate === 'not_sent') return { outcome: 'not_sent', message: 'connection refused' };
    if (fate === 'rejected') return { outcome: 'rejected', status: 422, message: 'refused' };
    if (fate === 'limited')
      return { outcome: 'rejected', status: 429, message: 'slow down', retryAfterMs: 500 };
    if (fate === 'lost') return { outcome: 'ambiguous', message: 'timed out' };
    const { endpoint, params, body } = request;
    const key = canonicalJson([endpoint, params, body]);
    const arrivals = (this.#arrivals.get(key) ?? 0) + 1;
    this.#arrivals.set(key, arrivals);
    if (fate !== 'reverted') this.effects.set(key, (this.effects.get(key) ?? 0) + 1);
    const name = arrivals === 1 ? key : `${key} ${arrivals}`;
    const accepted = this.#accept({ endpoint, params, body, reverted: fate === 'reverted' }, name);
    const finished = this.#finish(accepted, callbackUrl);
    if (this.delivery === 'early') await finished;
    if (fate === 'unanswered') return { outcome: 'ambiguous', message: 'connection reset' };
    return { outcome: 'accepted', status: 200, result: accepted.result };
  }

  async #finish({ confirm }: Accepted, callbackUrl: string | undefined): Promise<void> {
    if (confirm === undefined) return;
    this.#pending += 1;
    await this.#clock.sleep(200);
    this.#pending -= 1;
    const body = confirm();
    if (callbackUrl === undefined || this.delivery === 'never') return;
    await this.inbox.deliver(callbackUrl, body);
    if (this.delivery === 'twice') await this.inbox.deliver(callbackUrl, body);
  }

  #accept(write: Write, key: string): Accepted {
    const { endpoint, body } = write;
    if (endpoint === 'version.deploy') return this.#deploy(write, key);
    if (endpoint.startsWith('version.')) return this.#compile(write);
    if (endpoint.startsWith('certificate.mint')) return this.#mint(write, key);
    if (endpoint === 'certificate.transfer') {
      const from = text(body['wallet_address']);
      return this.#move(write, { tokenId: Number(body['nft_id']), from, key });
    }
    if (endpoint === 'audit.record.create') return this.#record(write, key);
    return endpoint.includes('.contract.') ? this.#create(write, key) : this.#name(write, key);
  }

  #record(write: Write, key: string): Accepted {
    const { wallet_address: from = '', contract_address: to = '' } = write.body;
    const metadatahash = `$2y$${key.length}`;
    const transactionHash = hash(key);
    return this.#transact(write, transactionHash, {
      table: 'audit.transactions',
      row: { ...write.body, transactionHash, from, metadatahash },
      receipt: { from, to },
      result: { metadatahash },
    });
  }

  #create(write: Write, key: string): Accepted {
    const made = address(key);
    const transactionHash = hash(key);
    return this.#transact(write, transactionHash, {
      table: write.endpoint.replace('create', 'list'),
      row: { contract_address: made, contract_name: write.body['name'] ?? '', transactionHash },
      receipt: { from: write.body['wallet_address'] ?? address('sender'), contractAddress: made, to: null },
      result: { status: 'pending' },
    });
  }

  /** What has only a name; nothing of it is on the chain. */
  #name({ endpoint, body }: Write, key: string): Accepted {
    if (endpoint === 'project.create') {
      const slug = body['project_name'] ?? '';
      return this.#insert('project.list', { slug, project_name: slug });
    }
    const name = sentText(body['name']);
    if (endpoint === 'wallet.create-user') {
      this.#insert('wallet.list', { address: address(key), name });
      return { result: { wallet: { wallet_address: address(key) } } };
    }
    const table = endpoint.replace('create', 'list');
    return this.#insert(table, { id: this.#tables.rows(table).length + 1, name });
  }

  #insert(table: string, row: Row): Accepted {
    this.#tables.rows(table).push(row);
    return { result: row };
  }

  #transact(
    { reverted }: Write,
    transactionHash: string,
    what: { table: string; row: Row; receipt: JsonObject; result: JsonObject },
  ): Accepted {
    const row: Row = { ...what.row, status: 'pending' };
    this.#tables.rows(what.table).push(row);
    return {
      result: { ...what.result, transactionHash },
      confirm: () => {
        row['status'] = reverted ? 'failed' : 'success';
        const receipt = { transactionHash, from: address('sender'), status: !reverted, ...what.receipt };
        this.#tables.rows('receipts').push(receipt);
        const more = reverted ? { message: 'reverted' } : receipt;
        return {
          status: row['status'],
          transactionHash,
          receipt: more,
          ...(reverted && { message: 'reverted' }),
        };
      },
    };
  }

  #mint(write: Write, key: string): Accepted {
    const tokenId = Number.parseInt(digestOf(key).slice(7, 17), 16);
    const attributes = JSON.parse(text(write.body['attributes'])) as Json;
    const json = { name: write.body['name'] ?? '', attributes };
    this.#insert('documents', { url: `memory:/${tokenId}.json`, json });
    return this.#move(write, { tokenId, from: `0x${'0'.repeat(40)}`, key });
  }

  #move(
    write: Write,
    token: { readonly tokenId: number; readonly from: string; readonly key: string },
  ): Accepted {
    const { body, endpoint } = write;
    const { tokenId, from, key } = token;
    const to = text(body['to']);
    const contract = text(body['contract_address']);
    const transactionHash = hash(key);
    const certificate = `memory:/${tokenId}.json`;
    const word = (text: string): string => `0x${text.slice(2).padStart(64, '0')}`;
    const topics = [TRANSFER, word(from), word(to), word(`0x${tokenId.toString(16)}`)];
    return this.#transact(write, transactionHash, {
      table: 'certificate.list',
      row: {
        nft_token_id: tokenId,
        transactionHash,
        from_wallet: from,
        to_wallet: to,
        contract_address: contract,
        certificate,
        is_mint: endpoint === 'certificate.transfer' ? 0 : 1,
      },
      receipt: { to: contract, logs: [{ address: contract, topics }] },
      result: { nft_token_id: tokenId, certificate },
    });
  }

  #compile({ endpoint, params, body, reverted }: Write): Accepted {
    const name = text(body['version']);
    const rows = this.#tables.rows('version.list');
    const old =
      endpoint === 'version.update' ? rows.find((row) => row['slug'] === params['versionSlug']) : undefined;
    const row: Row = old ?? { version: name, slug: `1-${name.replaceAll('.', '')}`, emitted_events: [] };
    if (old === undefined) rows.push(row);
    const compiler = body['compiler_settings'] ?? {};
    Object.assign(row, { status: 'compile_queued', artifacts: [], latest_error: '', last_compiled_at: null });
    Object.assign(row, { compiler_settings: withoutV(compiler), packages: body['packages'] ?? [] });
    return {
      result: { slug: row['slug'] ?? '' },
      confirm: () => {
        row['last_compiled_at'] = new Date(this.#clock.nowMs()).toISOString();
        row['latest_error'] = reverted ? 'ParserError' : '';
        row['artifacts'] = reverted ? [] : ARTIFACTS;
        return {};
      },
    };
  }

  #deploy({ params, body, reverted }: Write, key: string): Accepted {
    const row = this.#tables.rows('version.list').find((item) => item['slug'] === params['versionSlug']);
    if (row === undefined) throw new Error('deploys a version that is there');
    const deploymentId = `registry_${this.#tables.rows('deployments').push({}) + 1_700_000_000}`;
    const items = body['deployment_params'] as readonly JsonObject[];
    return {
      result: { deployment_id: deploymentId, status: 'pending' },
      confirm: () => {
        const deployed = items.slice(0, reverted ? 1 : items.length).map((item) => {
          const artifact = ARTIFACTS.find(({ id }) => id === item['sc_artifact_id']);
          const contractAddress = address(`${key} ${artifact?.contract_name}`);
          const transactionHash = hash(contractAddress);
          const shown = { contract_address: contractAddress, contract_name: artifact?.contract_name ?? '' };
          row['emitted_events'] = [...(row['emitted_events'] as Json[]), { ...shown, events: [] }];
          this.#tables
            .rows('instance.list')
            .push({ ...shown, deployment: deploymentId, version: row['slug'] ?? '' });
          const receipt = {
            transactionHash,
            from: address('sender'),
            to: null,
            contractAddress,
            status: true,
          };
          this.#tables.rows('receipts').push(receipt);
          return { sc_artifact_id: item['sc_artifact_id'] ?? 0, contract_address: contractAddress, receipt };
        });
        const time = new Date(this.#clock.nowMs()).toISOString();
        Object.assign(row, { updated_at: time, latest_error: reverted ? 'Token: cap too low' : '' });
        if (!reverted) Object.assign(row, { status: 'deployed', last_deployed_at: time });
        return {
          status: reverted ? 'Error' : 'Completed',
          message: reverted ? 'Token: cap too low' : 'Success',
          deployment_id: deploymentId,
          deployed_contract_addresses: deployed,
        };
      },
    };
  }

  async read(request: ReadRequest, settled = false): Promise<ReadAnswer> {
    await Promise.resolve();
    if (settled) while (this.#pending > 0) await this.#clock.sleep(50);
    return answerRead(request, this.#tables, this.#abilities);
  }
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const ARTIFACTS = ['Registry', 'Token', 'Vault'].map((contract_name, index) => ({
  id: 11 + index,
  contract_name,
  bytecode: `0x60${index}0`,
  contract_abi: [
    { type: 'event', name: 'Made' },
    ...(contract_name === 'Token'
      ? [
          {
            type: 'constructor',
            inputs: [
              { name: 'registry', type: 'address' },
              { name: 'cap', type: 'uint256' },
            ],
          },
        ]
      : []),
  ],
}));

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function withoutV(compiler: Json): Json {
  return JSON.parse(JSON.stringify(compiler).replace('"v0', '"0')) as Json;
}
