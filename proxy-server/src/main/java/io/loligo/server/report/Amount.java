package io.loligo.server.report;

/** A sum that each group of time has. */
enum Amount {
  HITS,
  MISSES,
  HIT_BYTES,
  MISS_BYTES,
  SWAP_INS,
  SWAP_OUTS,
  /** Swap-ins with one read, of those whose reads are known. */
  ATOMIC_INS,
  KNOWN_INS,
  /** Swap-outs without a write of their own, of those whose writes are known. */
  ATOMIC_OUTS,
  KNOWN_OUTS,
  /** Milliseconds in which the proxy counted swap-outs; 0: the log has them. */
  COUNTED_MILLIS,
  /** Memory hits of files whose way into memory is known, and those that never came from disk. */
  KNOWN_MEMORY_HITS,
  NEVER_SWAPPED_IN,
  /** Each hit is one of the rest. */
  DISK_200,
  MEMORY_200,
  UNKNOWN_200,
  /** A fresh conditional, answered with content. */
  IMS_200,
  IMS_304,
  /** Another hit answered 304, such as one after a validation. */
  OTHER_304,
  NEGATIVE
}
