import type { Pagination } from '../../protocol/shapes.js';
import { invalid } from './handler.js';

/** Which rows of a list a request asked for. */
export interface Page {
  /** From 1. */
  readonly number: number;
  /** Rows on a page. */
  readonly size: number;
  /** Rows before the page: OFFSET, with `size` as LIMIT. */
  readonly offset: number;
  /** What else the request asked for; the addresses of the other pages ask for it, too. */
  readonly filters: Readonly<Record<string, string>>;
}

/** The page that the `page` parameter names, the first when it is absent. @throws ServiceError 422 when it is no page */
export function pageOf(query: Readonly<Record<string, string>>, size: number): Page {
  const { page: text = '1', ...filters } = query;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalid({ page: ['The page field must be at least 1.'] });
  const number = Number(text);
  return { number, size, offset: (number - 1) * size, filters };
}

/** The paging object of a list. @param url absolute, without a query @param total rows on all pages */
export function paginationOf(page: Page, total: number, url: string): Pagination {
  const last = Math.max(1, Math.ceil(total / page.size));
  const at = (number: number): string =>
    `${url}?${new URLSearchParams({ ...page.filters, page: String(number) }).toString()}`;
  return {
    current_page: page.number,
    first_page_url: at(1),
    last_page: last,
    last_page_url: at(last),
    next_page_url: page.number < last ? at(page.number + 1) : null,
    per_page: page.size,
    prev_page_url: page.number > 1 ? at(page.number - 1) : null,
    total,
  };
}
