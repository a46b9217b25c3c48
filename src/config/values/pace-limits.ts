/** The most requests that a thread may have in flight. Apart from the fields, so that threads need no schema library for it. */
export const MAX_LINKS_PER_THREAD = 1024;
