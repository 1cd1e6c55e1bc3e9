/** Name of the environment that always exists. */
export const LOCAL = 'local';
