// How many buckets the table has.
export const BUCKETS = 512

// Lists that are no longer than this are sorted by insertion, longer ones by merging.
export const SHORT = 900
