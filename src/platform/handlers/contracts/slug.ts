/**
 * A name as it stands in a path: lower case, letters and digits, words joined by dashes; dots and other signs vanish
 * (`1.0.1` is `101`). Empty when nothing is left.
 */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[_\s-]+/g, '-')
    .replace(/[^a-z0-9-]/g, '')
    .replace(/-+/g, '-')
    .replace(/^-|-$/g, '');
}
