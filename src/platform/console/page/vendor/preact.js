// For the type checker only: the server answers this address with the installed package.
export * from 'preact';
