package io.loligo.server.peer.icp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One datagram of ICP (RFC 2186). Immutable. All integers are big-endian; the address of the sender
 * in the header is ignored, and 0 as Squid sends it.
 *
 * @param opcode one of the constants here, or any other
 * @param number of the query, which its reply repeats
 * @param options bits, such as {@link #WITH_DISTANCE}
 * @param optionData what an option needs
 * @param url each character one byte
 */
public record IcpMessage(int opcode, int number, int options, int optionData, String url) {
  public static final int QUERY = 1;
  public static final int HIT = 2;
  public static final int MISS = 3;
  public static final int ERR = 4;
  public static final int MISS_NOFETCH = 21;
  public static final int DENIED = 22;

  /** Option: the reply gives the round-trip time to the origin, in the low 16 bits of its data. */
  public static final int WITH_DISTANCE = 0x40000000;

  /** The largest datagram (RFC 2186, message length). */
  public static final int MAX_BYTES = 16_384;

  /** Its bits of the data of the option; those above are for hops, which nobody counts. */
  private static final int MAX_DISTANCE = 0xffff;

  private static final int VERSION = 2;
  private static final int HEADER_BYTES = 20;

  /** A query, without an address of its requester. */
  public static IcpMessage query(int number, boolean withDistance, String url) {
    return new IcpMessage(QUERY, number, withDistance ? WITH_DISTANCE : 0, 0, url);
  }

  /** The reply to this query. */
  public IcpMessage reply(int replyOpcode) {
    return reply(replyOpcode, 0);
  }

  /**
   * The same.
   *
   * @param distanceMillis to the origin, told if the query wants that; 0: unknown
   */
  public IcpMessage reply(int replyOpcode, int distanceMillis) {
    boolean told = wantsDistance() && distanceMillis > 0;
    return new IcpMessage(
        replyOpcode,
        number,
        told ? WITH_DISTANCE : 0,
        told ? Math.min(distanceMillis, MAX_DISTANCE) : 0,
        url);
  }

  private boolean wantsDistance() {
    return (options & WITH_DISTANCE) != 0;
  }

  /** The time that a reply tells, in milliseconds; 0: none. */
  public int distanceMillis() {
    return wantsDistance() ? optionData & MAX_DISTANCE : 0;
  }

  /** Bytes on the wire. */
  public int bytes() {
    return HEADER_BYTES + requesterBytes() + url.length() + 1;
  }

  private int requesterBytes() {
    return opcode == QUERY ? 4 : 0;
  }

  /** Writes it into a new buffer, which is returned owned. */
  public ByteBuf write(ByteBufAllocator allocator) {
    int bytes = bytes();
    ByteBuf out = allocator.directBuffer(bytes, bytes);
    out.writeByte(opcode).writeByte(VERSION).writeShort(bytes);
    out.writeInt(number).writeInt(options).writeInt(optionData).writeInt(0);
    if (opcode == QUERY) {
      out.writeInt(0);
    }
    out.writeCharSequence(url, StandardCharsets.ISO_8859_1);
    out.writeByte(0);
    return out;
  }

  /** Reads a datagram, borrowed. Null: it is none of this version. */
  public static @Nullable IcpMessage read(ByteBuf in) {
    int bytes = in.readableBytes();
    int at = in.readerIndex();
    if (bytes <= HEADER_BYTES
        || bytes > MAX_BYTES
        || in.getByte(at + 1) != VERSION
        || in.getUnsignedShort(at + 2) != bytes) {
      return null;
    }
    int opcode = in.getUnsignedByte(at);
    int start = at + HEADER_BYTES + (opcode == QUERY ? 4 : 0);
    int end = at + bytes - 1;
    // one NUL, at the end
    if (start > end || in.indexOf(start, end + 1, (byte) 0) != end) {
      return null;
    }
    return new IcpMessage(
        opcode,
        in.getInt(at + 4),
        in.getInt(at + 8),
        in.getInt(at + 12),
        in.toString(start, end - start, StandardCharsets.ISO_8859_1));
  }
}
