package io.loligo.store.load;

/** How a load from disk ended. */
public enum LoadOutcome {
  FOUND,
  /** The hint was wrong, or another variant is stored. */
  ABSENT,
  /** The response was there and did not pass verification: it is dropped. */
  DAMAGED,
  /** The disk's queue or the in-transit budget is full: the request goes on without the disk. */
  BUSY
}
