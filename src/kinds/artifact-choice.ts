import { textMember } from '../model/json.js';
import type { ContractSource } from '../model/resource.js';
import type { CompiledContract } from './constructor.js';
import type { ReadAnswer } from './operation.js';

/** What a plan says of the contract that it deploys. */
interface Wanted {
  readonly contract: string;
  readonly source?: ContractSource;
}

/** The sources to read before artifacts can be chosen: of those that share a name, and of those meant by their source. */
export function sourcesToRead(
  wanted: readonly Wanted[],
  artifacts: readonly CompiledContract[],
): readonly string[] {
  const urls = wanted.flatMap((one) => {
    const named = namedAs(one, artifacts);
    return one.source !== undefined || named.length > 1 ? named.map(({ sourceUrl }) => sourceUrl) : [];
  });
  return [...new Set(urls)].filter((url) => url !== '');
}

/**
 * The artifact of the contract that is meant, or why none can be told. A name alone tells it only where it is the
 * only one; else the text of the source that it links to, or failing that its file name, as it was uploaded.
 *
 * @param texts answers for {@link sourcesToRead}, by URL
 */
export function artifactFor(
  wanted: Wanted,
  artifacts: readonly CompiledContract[],
  texts: ReadonlyMap<string, ReadAnswer | undefined>,
): CompiledContract | string {
  const { contract, source } = wanted;
  const named = namedAs(wanted, artifacts);
  const [only, second] = named;
  if (only === undefined) return `the compiled version has no contract ${contract}`;
  if (source === undefined)
    return second === undefined
      ? only
      : `the compiled version has several contracts ${contract} (${named.map(fileNameOf).join(', ')}): say which one is meant, as FILE.sol:${contract}`;
  const sameText = named.filter(({ sourceUrl }) => digestIn(texts.get(sourceUrl)) === source.digest);
  const sameName = (sameText.length > 0 ? sameText : named).filter(
    (one) => fileNameOf(one) === source.filename,
  );
  const chosen = sameText.length === 1 ? sameText : sameName;
  const [one, other] = chosen;
  if (one !== undefined && other === undefined) return one;
  const why =
    texts.size === 0
      ? 'the service links no artifact to its source'
      : 'no source that the service shows tells it';
  return `several sources define ${contract}, and it cannot be told which artifact comes from ${source.path}: ${why}`;
}

function namedAs({ contract }: Wanted, artifacts: readonly CompiledContract[]): readonly CompiledContract[] {
  return artifacts.filter(({ name }) => name === contract);
}

function digestIn(answer: ReadAnswer | undefined): string | undefined {
  return answer?.type === 'found' ? textMember(answer.value, 'digest') : undefined;
}

/** The last segment of the source's URL; a question mark where there is none. */
function fileNameOf({ sourceUrl }: CompiledContract): string {
  const segment = sourceUrl.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment) || '?';
  } catch {
    return segment;
  }
}
