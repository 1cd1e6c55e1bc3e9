import { isJsonObject, textMember, type Json } from '../../model/json.js';
import { forgery, misshapen, type Post } from './false-bodies.js';
import type { Faults } from './faults.js';
import type { CallbackFault } from './rules.js';

/** A callback before an attempt. */
export interface Leaving extends Post {
  readonly org: string;
  /** Which attempt, from 1. */
  readonly attempt: number;
  /** What it tells of, and the id of that. */
  readonly subject: string;
}

/** What becomes of a callback's attempt. */
export type Course =
  | {
      readonly type: 'post';
      /** What goes out, one after another; the answer to the last one counts. */
      readonly posts: readonly [Post, ...Post[]];
    }
  /** It waits for so many milliseconds, or until the organisation's next callback was sent. */
  | { readonly type: 'hold'; readonly by: number; readonly forNext: boolean }
  | { readonly type: 'lose' };

/** How long a callback is held when none comes after it, in milliseconds. */
const HELD_AT_MOST = 60_000;

/** What becomes of a callback: what the faults say, else it is posted. The one place where a fault befalls a callback. */
export async function courseOf(faults: Faults, leaving: Leaving): Promise<Course> {
  const { url, body, org, attempt } = leaving;
  if (!faults.any) return { type: 'post', posts: [{ url, body }] };
  const [of = ''] = leaving.subject.split(' ');
  const fault = await faults.befalling({ type: 'callback', org, of, project: projectOf(body), attempt });
  return fault ? suffered(fault, { url, body }) : { type: 'post', posts: [{ url, body }] };
}

function suffered(fault: CallbackFault, post: Post): Course {
  switch (fault.kind) {
    case 'lost':
      return { type: 'lose' };
    case 'late':
      return { type: 'hold', by: fault.by, forNext: false };
    case 'reordered':
      return { type: 'hold', by: HELD_AT_MOST, forNext: true };
    case 'twice':
      return { type: 'post', posts: [post, post] };
    case 'forged':
      return { type: 'post', posts: [forgery(post, fault.as ?? 'failure'), post] };
    case 'wrong_shape':
      return {
        type: 'post',
        posts: [{ url: post.url, body: misshapen(post.body, fault.as ?? 'not_json') }],
      };
  }
}

/** Slug of the project whose deployment a callback tells of: the first part of the deployment's id. */
function projectOf(body: string): string | undefined {
  const value = JSON.parse(body) as Json;
  const id = isJsonObject(value) ? textMember(value, 'deployment_id') : undefined;
  return id?.split('_')[0];
}
