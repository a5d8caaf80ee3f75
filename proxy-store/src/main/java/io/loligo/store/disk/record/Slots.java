package io.loligo.store.disk.record;

import net.openhft.chronicle.core.OS;

/**
 * The slots of a segment, read without a sign. Stateless.
 *
 * <p>Chronicle Map reads a slot as an {@code int} that becomes a {@code long}: compiled to an
 * instruction (MOVSXD) that HotSpot 17 cannot step over when its page cannot be had, so that a file
 * cut in use ended the process in place of an {@link InternalError}. An unsigned one is a plain
 * load.
 */
final class Slots {
  static final long EMPTY = 0;

  private Slots() {}

  static long read(long base, long offset) {
    return OS.memory().readVolatileInt(base + offset) & 0xffff_ffffL;
  }

  static void write(long base, long offset, long slot) {
    OS.memory().writeInt(base + offset, (int) slot);
  }
}
