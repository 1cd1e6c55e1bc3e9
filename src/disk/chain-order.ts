/** What the thread that checks a chain is told. A piece lies in memory that both threads see. */
export type ChainOrder =
  | { readonly type: 'piece'; readonly bytes: Uint8Array<SharedArrayBuffer> }
  | { readonly type: 'end' };

/** What it answers, one word for each order: `read` frees the piece's memory. */
export type ChainWord =
  | { readonly type: 'read' }
  | { readonly type: 'broken' }
  | { readonly type: 'end'; readonly hash: string; readonly validBytes: number };
