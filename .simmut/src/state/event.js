/** Version of the journal's events; a reader refuses a larger one. */
export const EVENT_VERSION = 1;
