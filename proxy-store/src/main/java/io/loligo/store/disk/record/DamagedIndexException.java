package io.loligo.store.disk.record;

/** Something in the index pages of a map cannot be what was written there. */
final class DamagedIndexException extends RuntimeException {
  private static final long serialVersionUID = 1;

  DamagedIndexException(String message) {
    super(message);
  }
}
