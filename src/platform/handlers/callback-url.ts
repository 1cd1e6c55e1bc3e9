import type { Context } from './handler.js';
import type { Fields } from './fields.js';

/** The optional `callback_url` of a write; notes a mistake when nothing may be posted there. */
export function callbackUrl(context: Context, fields: Fields): string | undefined {
  const url = fields.optionalText('callback_url', 2048);
  if (url === undefined || url === '') return undefined;
  const fault = context.delivery.fault(url);
  if (fault !== undefined) fields.fault('callback_url', `cannot be used: ${fault}`);
  return url;
}
