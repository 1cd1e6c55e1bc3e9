// For the type checker only: the server answers this address with the installed package, which exports itself so.
// oxlint-disable-next-line import/no-default-export
export { default } from 'htm';
