package io.loligo.store.load;

/** The outcome of a load from disk. */
public enum LoadOutcome {
  FOUND,
  /** The hint was wrong, or another variant is stored. */
  ABSENT,
  /** The response was there and failed its verification: it is dropped. */
  DAMAGED,
  /** The disk's queue or the in-transit budget is full: the request continues without the disk. */
  BUSY
}
