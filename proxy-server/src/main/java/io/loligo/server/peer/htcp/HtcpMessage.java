package io.loligo.server.peer.htcp;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * One datagram of HTCP (RFC 2756 section 2). A signature is read over, and none is written, as in
 * Squid. Immutable.
 *
 * <p>Version 0.0 is an older layout of Squid: the halves of the byte with the opcode are exchanged,
 * and the bits of the next byte are in the reverse order. A reply has the version of its request.
 */
final class HtcpMessage {
  static final int NOP = 0;
  static final int TST = 1;
  static final int MON = 2;
  static final int SET = 3;
  static final int CLR = 4;

  /** Responses about the message itself, with the flag F1. */
  static final int OPCODE_NOT_IMPLEMENTED = 2;

  static final int MAJOR_NOT_SUPPORTED = 3;
  static final int MINOR_NOT_SUPPORTED = 4;

  /** The longest datagram that is read or written, in bytes. */
  static final int MAX_BYTES = 8192;

  private static final int HEADER_BYTES = 4;
  private static final int DATA_BYTES = 8;
  private static final int AUTH_BYTES = 2;
  private static final int LATEST_MINOR = 1;

  private static final String[] NAMES = {"NOP", "TST", "MON", "SET", "CLR"};

  private final int major;
  private final int minor;
  private final int opcode;
  private final int response;
  private final boolean reply;
  private final boolean flag;
  private final int id;
  private final byte[] data;

  private HtcpMessage(
      int major,
      int minor,
      int opcode,
      int response,
      boolean reply,
      boolean flag,
      int id,
      byte[] data) {
    this.major = major;
    this.minor = minor;
    this.opcode = opcode;
    this.response = response;
    this.reply = reply;
    this.flag = flag;
    this.id = id;
    this.data = data;
  }

  /**
   * A request of version 0.1.
   *
   * @param answered whether a response is wanted
   * @param data its op-data, kept
   */
  static HtcpMessage request(int opcode, boolean answered, int id, byte[] data) {
    return new HtcpMessage(0, LATEST_MINOR, opcode, 0, false, answered, id, data);
  }

  /** The same in version 0.0. */
  HtcpMessage ofOldSquid() {
    return new HtcpMessage(0, 0, opcode, response, reply, flag, id, data);
  }

  /**
   * The message in {@code in}, borrowed; null if it is damaged, which includes a length other than
   * that of the datagram. As in Squid, its authentication is not looked at, and may be absent.
   */
  static @Nullable HtcpMessage read(ByteBuf in) {
    int at = in.readerIndex();
    int total = in.readableBytes();
    if (total < HEADER_BYTES + DATA_BYTES || in.getUnsignedShort(at) != total) {
      return null;
    }
    int dataBytes = in.getUnsignedShort(at + HEADER_BYTES);
    if (dataBytes < DATA_BYTES || dataBytes > total - HEADER_BYTES) {
      return null;
    }
    int minor = in.getUnsignedByte(at + 3);
    int kind = in.getUnsignedByte(at + 6);
    int flags = in.getUnsignedByte(at + 7);
    boolean old = minor == 0;
    byte[] data = new byte[dataBytes - DATA_BYTES];
    in.getBytes(at + HEADER_BYTES + DATA_BYTES, data);
    return new HtcpMessage(
        in.getUnsignedByte(at + 2),
        minor,
        old ? kind & 0xf : kind >> 4,
        old ? kind >> 4 : kind & 0xf,
        (flags & (old ? 0x80 : 0x01)) != 0,
        (flags & (old ? 0x40 : 0x02)) != 0,
        in.getInt(at + 8),
        data);
  }

  /** Appends it to {@code out}, borrowed. */
  void write(ByteBuf out) {
    boolean old = minor == 0;
    out.writeShort(HEADER_BYTES + DATA_BYTES + data.length + AUTH_BYTES);
    out.writeByte(major).writeByte(minor);
    out.writeShort(DATA_BYTES + data.length);
    out.writeByte(old ? (response << 4) | opcode : (opcode << 4) | response);
    int flags = old ? (reply ? 0x80 : 0) | (flag ? 0x40 : 0) : (reply ? 1 : 0) | (flag ? 2 : 0);
    out.writeByte(flags);
    out.writeInt(id).writeBytes(data);
    out.writeShort(AUTH_BYTES);
  }

  /** Whether it fits a datagram. */
  boolean fits() {
    return HEADER_BYTES + DATA_BYTES + data.length + AUTH_BYTES <= MAX_BYTES;
  }

  /**
   * The reply to this request.
   *
   * @param data its op-data, kept
   */
  HtcpMessage reply(int code, byte[] data) {
    return new HtcpMessage(0, minor, opcode, code, true, false, id, data);
  }

  /** The reply that says why this message cannot be answered; it is no longer than the message. */
  HtcpMessage error(int code) {
    int known = Math.min(minor, LATEST_MINOR);
    return new HtcpMessage(0, known, opcode, code, true, true, id, new byte[0]);
  }

  /** The response to a version that is not spoken; 0: it is spoken. */
  int versionError() {
    if (major != 0) {
      return MAJOR_NOT_SUPPORTED;
    }
    return minor > LATEST_MINOR ? MINOR_NOT_SUPPORTED : 0;
  }

  int opcode() {
    return opcode;
  }

  /** The opcode as Squid logs it in the place of the method. */
  String logged() {
    return "HTCP_" + (opcode < NAMES.length ? NAMES[opcode] : "END");
  }

  /** The response code of a reply. */
  int response() {
    return response;
  }

  /** Whether it is a reply; else it is a request. */
  boolean isReply() {
    return reply;
  }

  /**
   * F1: a response to this request is wanted; in a reply, the code is about the message and not
   * about the operation.
   */
  boolean flag() {
    return flag;
  }

  /** The transaction, which a reply repeats. */
  int id() {
    return id;
  }

  /** The op-data, not to be changed. */
  byte[] data() {
    return data;
  }
}
