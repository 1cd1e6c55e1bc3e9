import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from '../../src/model/canonical.js';
import { isJsonObject, type Json } from '../../src/model/json.js';
import { STORY, tellStory } from '../support/story.js';

const SIGNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** Texts that a plan sends as they are: without placeholders and templates, and without what no request can carry. */
const TEXT = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 40 })
  .filter((text) => !/[\0\p{Cs}\uFFFD]|_ADDRESS|\{\{/u.test(text));
const NAMES = fc.constantFrom('a', 'b', '10', '9', 'né', 'x y');
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    TEXT,
    fc.integer(),
    fc.constantFrom(true, null, '007', '1.10', '12345678901234567890', '\r\n', ' '),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(NAMES, tie('value'), { maxKeys: 3 }),
  ),
}));

it(
  'what a plan says of a record is what the record says, to the last character',
  async () => {
    const written = [
      // A plan takes a map or a text.
      ...fc.sample(value, 40).map((one) => (typeof one === 'string' || isJsonObject(one) ? one : { one })),
      '{"total":12345678901234567890,"total":1.0}',
      'Ame\u0301lie',
      'Am\u00e9lie',
      ' \ttrailing \n',
      'x'.repeat(60_000),
    ];
    const records = written.map(
      (metadata, index) =>
        `    r${String(index)}: { contract: log, signer: office, envelope: ${index % 2 === 0 ? 'none' : 'digest'}, metadata: ${JSON.stringify(metadata)} }`,
    );
    const plan = `windlass: 1
name: exact
wallets: { office: { address: "${SIGNER}" } }
audit:
  contracts: { log: {} }
  records:
${records.join('\n')}
`;
    await tellStory({ 'windlass.yaml': plan }, {}, async ({ apply, run, addresses, get }) => {
      await apply();
      const contract = (await addresses())['audit-contract.log'] ?? '';
      const texts: string[] = [];
      for (let page = 1; texts.length < written.length && page < 100; page += 1) {
        const path = `/api/audit/get-audit-transaction?contract_address=${contract}&page=${String(page)}`;
        texts.push(...((await get(path)) as { metadata: string }[]).map(({ metadata }) => metadata));
      }
      expect(texts).toHaveLength(written.length);
      for (const [index, metadata] of written.entries()) {
        const plain = typeof metadata === 'string' ? metadata : canonicalJson(metadata);
        const wrapped = `,"v":${canonicalJson(metadata)}}`;
        const isIt = (text: string): boolean => (index % 2 === 0 ? text === plain : text.endsWith(wrapped));
        expect(texts.some(isIt), plain).toBe(true);
      }
      expect((await run('verify')).code).toBe(0);
    });
  },
  STORY,
);
