import { createContract, deployContract } from 'micro-eth-signer/abi.js';
import { CERTIFICATE } from './certificate.artifact.js';
import { bytesOf, hexOf } from './hex.js';

const methods = createContract(CERTIFICATE.abi);

/** The three-argument form, which the encoder would know by its whole signature only. */
const moves = createContract([
  {
    type: 'function',
    name: 'safeTransferFrom',
    inputs: [
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'tokenId', type: 'uint256' },
    ],
    outputs: [],
  },
] as const);

/** What fixes a certificate contract for ever, but for its owner. */
export interface CertificateTerms {
  readonly name: string;
  readonly symbol: string;
  /** The only account that may mint. */
  readonly owner: string;
  /** 0 means no limit. */
  readonly maxSupply: number;
}

/** Creation data of a certificate contract, `0x` hex. */
export function certificateCreation(terms: CertificateTerms): string {
  return deployContract(CERTIFICATE.abi, CERTIFICATE.bytecode, {
    name_: terms.name,
    symbol_: terms.symbol,
    owner_: terms.owner,
    maxSupply_: BigInt(terms.maxSupply),
  });
}

/** Call data that mints a token, `0x` hex. @param uri URL of its metadata document */
export function certificateMint(to: string, tokenId: number, uri: string): string {
  return hexOf(methods.mint.encodeInput({ to, tokenId: BigInt(tokenId), uri }));
}

/** Call data that moves a token; a contract that receives it must accept it. `0x` hex. */
export function certificateTransfer(from: string, to: string, tokenId: number): string {
  return hexOf(moves.safeTransferFrom.encodeInput({ from, to, tokenId: BigInt(tokenId) }));
}

/** Call data that asks who holds a token, `0x` hex. Reverts when there is no such token. */
export function certificateHolder(tokenId: number): string {
  return hexOf(methods.ownerOf.encodeInput(BigInt(tokenId)));
}

/** The address in the answer to {@link certificateHolder}, lower-case. */
export function decodeHolder(data: string): string {
  return methods.ownerOf.decodeOutput(bytesOf(data)).toLowerCase();
}

/** Call data that hands minting to another account, `0x` hex. */
export function certificateOwnerTransfer(to: string): string {
  return hexOf(methods.transferOwnership.encodeInput(to));
}
