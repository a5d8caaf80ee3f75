package io.loligo.store.memory;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.netty.buffer.ByteBuf;

/**
 * A stored response: meta, field lines and content, shared by reference. Never recycled: its count
 * is incremented only if not zero, so a reference read from a map that lost it fails cleanly
 * instead of retaining somebody else's buffer (DESIGN section 3). Thread-safe: any thread.
 *
 * <p>The first block holds the field lines, the empty line, and the first octets of content (all of
 * it for a small response), so that a small hit is one copy or one slice.
 */
public final class Entry {
  /** One more reference, unless the entry is already gone. */
  public boolean tryRetain() {
    throw new AssertionError("store work package");
  }

  /** One reference less; the last one releases the blocks. */
  public void release() {
    throw new AssertionError("store work package");
  }

  public CacheKey key() {
    throw new AssertionError("store work package");
  }

  public StoredMeta meta() {
    throw new AssertionError("store work package");
  }

  /** Times it was served, roughly. */
  public int hits() {
    throw new AssertionError("store work package");
  }

  /** Counts one more. */
  public void hit() {
    throw new AssertionError("store work package");
  }

  /** Octets of field lines and the empty line at the start of {@link #firstBlock}. */
  public int fieldsLength() {
    throw new AssertionError("store work package");
  }

  /** Octets of content. */
  public long contentLength() {
    throw new AssertionError("store work package");
  }

  /** Fields, empty line, first content; borrowed while a reference is held; indices meaningless. */
  public ByteBuf firstBlock() {
    throw new AssertionError("store work package");
  }

  /** Octets used in {@link #firstBlock}: fields, empty line and the content that fits. */
  public int firstBlockLength() {
    throw new AssertionError("store work package");
  }

  /**
   * Content from {@code offset}: at most {@code max} octets, at most to the end of the block they
   * stand in. Returns owned: a retained slice. Constant time.
   */
  public ByteBuf retainedContent(long offset, int max) {
    throw new AssertionError("store work package " + offset + max);
  }
}
