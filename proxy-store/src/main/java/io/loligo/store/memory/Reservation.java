package io.loligo.store.memory;

import org.jspecify.annotations.Nullable;

/**
 * The part of a ledger that one fetch holds: a floor of its own from beginning to end, and more
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

  /** A reservation of {@code floorBytes} of {@code ledger}, or null if that is full. */
  public static @Nullable Reservation open(MemoryLedger ledger, long floorBytes) {
    return ledger.tryReserve(floorBytes) ? new Reservation(ledger, floorBytes) : null;
  }

  /** See {@link MemoryLedger#shortage}. */
  public MemoryShortage shortage() {
    return ledger.shortage();
  }

  /** Holds {@code bytes} more if the ledger has them; returns whether it had. */
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

  /** Raises the floor by {@code bytes} if the ledger has them; returns whether it had. */
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

  /** Holds {@code bytes} more regardless of the limit: they exist already. */
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

  /** Whether a user that can do with less should take less. */
  public boolean isScarce() {
    return ledger.isScarce();
  }

  /** Whether more than half of the ledger is entered, by any user. */
  public boolean isCrowded() {
    return ledger.isHalfFull();
  }

  /** Gives back reserved bytes that are not in use. */
  public void dropFloor() {
    floor = 0;
    shrink(0);
  }

  /** Gives everything back, including the floor. */
  public void close() {
    ledger.release(reserved);
    reserved = 0;
    held = 0;
  }
}
