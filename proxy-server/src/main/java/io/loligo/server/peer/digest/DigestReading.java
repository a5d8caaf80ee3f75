package io.loligo.server.peer.digest;

import io.netty.buffer.ByteBuf;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Reads a digest as its bytes come. Confined to one thread. */
public final class DigestReading {
  /** With more of its bits set, a digest tells too little: two URLs in three seem to be present. */
  static final int MAX_SET_PERCENT = 90;

  private final byte[] header = new byte[DigestFilter.HEADER_BYTES];
  private final IntSupplier maxBytes;
  private int headerBytes;
  private int maskBytes;
  private long bitsSet;

  /** Null: the header is not complete. */
  private @Nullable DigestFilter filter;

  /**
   * Reads a digest.
   *
   * @param maxBytes the most that it may have; asked when its size is known
   */
  public DigestReading(IntSupplier maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Takes further bytes in.
   *
   * @param content borrowed; is read
   * @return false: the digest is damaged, of another version, or too large
   */
  public boolean take(ByteBuf content) {
    int ofHeader = Math.min(content.readableBytes(), header.length - headerBytes);
    content.readBytes(header, headerBytes, ofHeader);
    headerBytes += ofHeader;
    if (headerBytes < header.length) {
      return true;
    }
    if (filter == null) {
      filter = DigestFilter.described(header, maxBytes.getAsInt());
    }
    if (filter == null || content.readableBytes() > filter.maskBytes() - maskBytes) {
      return false;
    }
    int end = maskBytes + content.readableBytes();
    byte[] mask = filter.mask();
    content.readBytes(mask, maskBytes, end - maskBytes);
    for (; maskBytes < end; maskBytes++) {
      bitsSet += Integer.bitCount(mask[maskBytes] & 0xff);
    }
    return true;
  }

  /** Bytes of memory that it takes so far. */
  public int bytes() {
    return filter == null ? 0 : filter.maskBytes();
  }

  /** The digest; null if bytes are missing, or more than {@value #MAX_SET_PERCENT} % are set. */
  public @Nullable DigestFilter end() {
    return filter == null
            || maskBytes < filter.maskBytes()
            || 100 * bitsSet > MAX_SET_PERCENT * 8L * maskBytes
        ? null
        : filter;
  }
}
