import { certificateId } from '../model/id.js';
import type { AddressInput, InputsOf } from '../model/resource.js';
import type { BatchRows } from './batch-rows.js';
import { declare, type Drafting, type Edge } from './draft.js';
import { bytesText, refusalProblem } from './file-problems.js';
import type { FileDigest } from './files.js';
import { imageFault, MAX_IMAGE_BYTES } from './image.js';
import type { Span } from './node.js';
import { partyOfName, type PartyReading } from './party.js';
import type { Problem } from './problems.js';
import { RowProblems } from './row-problems.js';
import { textValue, type AuthoredText } from './text.js';

/** What the rows of one batch share. Texts that could not be read are undefined; they are reported already. */
export interface BatchFrame {
  readonly name: string;
  readonly at: Span;
  readonly rows: BatchRows;
  readonly texts: {
    readonly to: AuthoredText | undefined;
    readonly name: AuthoredText | undefined;
    readonly description: AuthoredText | undefined;
    readonly image: AuthoredText | undefined;
    readonly attributes: readonly { readonly trait: string; readonly text: AuthoredText | undefined }[];
  };
  /** To the contract and its owner. */
  readonly edges: readonly Edge[];
  readonly contract: AddressInput | undefined;
  readonly owner: AddressInput | undefined;
  readonly marker: 'attribute' | 'none';
}

type Row = readonly string[];

/**
 * Declares the certificates of a batch in row order. Attributes keep the author's order, and empty values stay:
 * what is sent is what the plan says.
 *
 * @returns the receivers by row key, those of faulty rows undefined
 */
export async function mintRows(
  frame: BatchFrame,
  drafting: Drafting,
): Promise<ReadonlyMap<string, AddressInput | undefined>> {
  const { rows, texts } = frame;
  const fill = filler(rows.columns);
  const faults = new RowProblems(rows);
  const images = await loadImages(frame, fill, drafting, faults);
  const receiverOf = receiverReader(frame, fill, drafting, faults);
  const receivers = new Map<string, AddressInput | undefined>();
  for (const [at, row] of rows.rows.entries()) {
    const image = images(at, row);
    const to = receiverOf(at, row);
    const key = rows.keys[at];
    if (key !== undefined) receivers.set(key, to?.address);
    const { contract, owner, marker } = frame;
    const { name, description } = texts;
    if (key === undefined || to === undefined || image === undefined) continue;
    if (contract === undefined || owner === undefined || name === undefined || description === undefined)
      continue;
    const inputs: InputsOf['certificate'] = {
      contract,
      owner,
      to: to.address,
      name: fill(name, row),
      description: fill(description, row),
      attributes: texts.attributes.map(({ trait, text }) => ({ trait, value: text ? fill(text, row) : '' })),
      image,
      marker,
    };
    const id = certificateId(frame.name, key);
    declare(drafting, {
      id,
      kind: 'certificate',
      inputs,
      edges: [...frame.edges, ...to.edges],
      at: frame.at,
    });
  }
  faults.report(drafting.problems);
  return receivers;
}

type Fill = (text: AuthoredText, row: Row) => string;

function filler(columns: readonly string[]): Fill {
  const index = new Map(columns.map((column, at) => [column, at]));
  return ({ parts }, row) =>
    parts
      .map((part) => {
        if (typeof part === 'string') return part;
        return 'column' in part ? (row[index.get(part.column) ?? -1] ?? '') : '';
      })
      .join('');
}

type Receiver = PartyReading & { readonly ok: true };

/** Gives each row's receiver, reading each text once: a thousand rows often go to a few wallets. */
function receiverReader(
  frame: BatchFrame,
  fill: Fill,
  drafting: Drafting,
  faults: RowProblems,
): (at: number, row: Row) => Receiver | undefined {
  const { to } = frame.texts;
  if (to === undefined) return () => undefined;
  const [only] = to.parts;
  if (to.parts.some((part) => typeof part === 'object' && 'ref' in part)) {
    const value = textValue(to);
    if (to.parts.length === 1 && only !== undefined)
      return () => ({ ok: true, address: value, edges: to.edges });
    const message = 'An address cannot be part of a longer text here.';
    drafting.problems.report({ code: 'PLAN_ADDRESS', at: to.node.span, message });
    return () => undefined;
  }
  const known = new Map<string, PartyReading>();
  return (at, row) => {
    const text = fill(to, row);
    const reading = known.get(text) ?? partyOfName(text, ['wallet'], drafting.names, to.node.span);
    known.set(text, reading);
    if (reading.ok) return { ...reading, edges: [...to.edges, ...reading.edges] };
    faults.add(to, at, reading.problem);
    return undefined;
  };
}

/** Digests the images of all rows, each file once; gives a row's image, reporting what is wrong with it. */
async function loadImages(
  frame: BatchFrame,
  fill: Fill,
  drafting: Drafting,
  faults: RowProblems,
): Promise<(at: number, row: Row) => InputsOf['certificate']['image'] | undefined> {
  const { image } = frame.texts;
  if (image === undefined) return () => undefined;
  const paths = new Set(frame.rows.rows.map((row) => fill(image, row)));
  const digests = new Map<string, FileDigest>();
  await Promise.all(
    [...paths].map(async (path) => {
      digests.set(path, await drafting.files.digest(path, MAX_IMAGE_BYTES));
    }),
  );
  return (at, row) => {
    const path = fill(image, row);
    const digest = digests.get(path) ?? { status: 'missing' };
    const problem = imageProblem(path, digest);
    if (problem !== undefined) faults.add(image, at, problem);
    if (problem !== undefined || digest.status !== 'ok') return undefined;
    return { path, digest: digest.digest, sizeBytes: digest.sizeBytes };
  };
}

function imageProblem(path: string, digest: FileDigest): Omit<Problem, 'at'> | undefined {
  if (digest.status === 'too-large') {
    const message = `The image "${path}" has ${bytesText(digest.sizeBytes)}; the largest endpoint takes ${bytesText(MAX_IMAGE_BYTES)}.`;
    return { code: 'PLAN_FILE_TOO_LARGE', message };
  }
  if (digest.status !== 'ok') return refusalProblem(digest, path);
  const fault = imageFault(digest.head);
  return fault === undefined ? undefined : { code: 'PLAN_FILE_TYPE', message: `"${path}" ${fault}.` };
}
