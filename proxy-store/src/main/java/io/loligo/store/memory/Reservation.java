package io.loligo.store.memory;

/**
 * The part of a ledger that one fetch holds: a floor that is its own from begin to end, and more
 * while it needs more. Confined to the event loop of the fetch.
 */
public final class Reservation {
  private final MemoryLedger ledger;
  private long floor;
  private long held;
  private long reserved;

  private Reservation(MemoryLedger ledger, long floor) {
    this.ledger = ledger;
    this.floor = floor;
    this.reserved = floor;
  }

  /** A reservation that has {@code floorBytes} of {@code ledger}, or null where it is full. */
  public static Reservation open(MemoryLedger ledger, long floorBytes) {
    return ledger.tryReserve(floorBytes) ? new Reservation(ledger, floorBytes) : null;
  }

  /** See {@link MemoryLedger#shortage}. */
  public MemoryShortage shortage() {
    return ledger.shortage();
  }

  /** Holds {@code bytes} more if the ledger has them; whether it had. */
  public boolean grow(long bytes) {
    long missing = held + bytes - reserved;
    if (missing > 0) {
      if (!ledger.tryGrow(missing)) {
        return false;
      }
      reserved += missing;
    }
    held += bytes;
    return true;
  }

  /** Has {@code bytes} for its own from now on if the ledger has them; whether it had. */
  public boolean raiseFloor(long bytes) {
    long missing = bytes - reserved;
    if (missing > 0) {
      if (!ledger.tryGrow(missing)) {
        return false;
      }
      reserved += missing;
    }
    floor = Math.max(floor, bytes);
    return true;
  }

  /** Holds {@code bytes} more whatever the limit: they are there already. */
  public void force(long bytes) {
    long missing = held + bytes - reserved;
    if (missing > 0) {
      ledger.force(missing);
      reserved += missing;
    }
    held += bytes;
  }

  /** Holds {@code bytes} less. */
  public void shrink(long bytes) {
    held -= bytes;
    assert held >= 0 : "reservation below zero: " + held;
    long surplus = reserved - Math.max(floor, held);
    if (surplus > 0) {
      ledger.release(surplus);
      reserved -= surplus;
    }
  }

  /** Whether who can do with less should take less. */
  public boolean isScarce() {
    return ledger.isScarce();
  }

  /** Whether more than half of the ledger is entered, by whomever. */
  public boolean isCrowded() {
    return ledger.isHalfFull();
  }

  /** Gives back what was set aside and is not held. */
  public void dropFloor() {
    floor = 0;
    shrink(0);
  }

  /** Gives everything back, the floor too. */
  public void close() {
    ledger.release(reserved);
    reserved = 0;
    held = 0;
  }
}
