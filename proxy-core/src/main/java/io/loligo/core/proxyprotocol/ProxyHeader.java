package io.loligo.core.proxyprotocol;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.IpText;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A header of the PROXY protocol, version 1 or 2. Immutable.
 *
 * @param state whether the header is complete
 * @param length its bytes, if it is complete
 * @param source the client's address, 4 or 16 bytes; null: the connection's own addresses hold
 *     (LOCAL, UNKNOWN, a family other than TCP over IP)
 * @param destination the address that the client connected to; null with {@code source}
 * @param fields the header as fields, as Squid names them in logs: {@code :version}, {@code
 *     :command}, {@code :src_addr}, {@code :dst_addr}, {@code :src_port}, {@code :dst_port}, and
 *     the decimal type of each extension (TLV); values have any bytes. Empty if it is not complete
 */
public record ProxyHeader(
    State state,
    int length,
    byte @Nullable [] source,
    int sourcePort,
    byte @Nullable [] destination,
    int destinationPort,
    Fields fields) {
  /** Most bytes of a header: the addresses, and what products add to them. */
  public static final int MAX_BYTES = 4_096;

  /** Whether a header has arrived. */
  public enum State {
    INCOMPLETE,
    COMPLETE,
    MALFORMED
  }

  private static final ProxyHeader INCOMPLETE = of(State.INCOMPLETE);
  private static final ProxyHeader MALFORMED = of(State.MALFORMED);

  static final byte[] SIGNATURE = {'\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'};
  private static final byte[] VERSION_1 = "PROXY ".getBytes(StandardCharsets.US_ASCII);

  /** Most bytes of a header of version 1, the line end included. */
  private static final int LINE_BYTES = 107;

  static final int FIXED_BYTES = 16;
  static final int LOCAL = 0x20;
  static final int PROXY = 0x21;
  static final int TCP4 = 0x11;
  static final int TCP6 = 0x21;
  private static final int TYPE_CRC32C = 3;

  private static ProxyHeader of(State state) {
    return new ProxyHeader(state, 0, null, 0, null, 0, new Fields(1));
  }

  /** Without addresses of its own. */
  private static ProxyHeader own(int length, Fields fields) {
    return new ProxyHeader(State.COMPLETE, length, null, 0, null, 0, fields);
  }

  /** Reads the header at the start of {@code in}, borrowed and unchanged. */
  public static ProxyHeader read(ByteBuf in) {
    if (startsWith(in, SIGNATURE)) {
      return in.readableBytes() < FIXED_BYTES ? INCOMPLETE : version2(in);
    }
    return startsWith(in, VERSION_1) ? version1(in) : MALFORMED;
  }

  /** Whether {@code in} starts with {@code text}, or is the start of it. */
  private static boolean startsWith(ByteBuf in, byte[] text) {
    int length = Math.min(text.length, in.readableBytes());
    for (int i = 0; i < length; i++) {
      if (in.getByte(in.readerIndex() + i) != text[i]) {
        return false;
      }
    }
    return true;
  }

  private static ProxyHeader version1(ByteBuf in) {
    int start = in.readerIndex();
    int most = Math.min(LINE_BYTES, in.readableBytes());
    int newline = in.indexOf(start, start + most, (byte) '\n');
    if (newline < 0) {
      return most < LINE_BYTES ? INCOMPLETE : MALFORMED;
    }
    int length = newline + 1 - start;
    if (in.getByte(newline - 1) != '\r') {
      return MALFORMED;
    }
    String line = in.toString(start, length - 2, StandardCharsets.US_ASCII);
    String[] words = line.split(" ", -1);
    if (words[1].equals("UNKNOWN")) {
      return own(length, new Text().line(":version", "1.0").line(":command", "LOCAL").fields());
    }
    int bytes = words[1].equals("TCP4") ? 4 : words[1].equals("TCP6") ? 16 : 0;
    if (bytes == 0 || words.length != 6) {
      return MALFORMED;
    }
    byte[] source = address(words[2], bytes);
    byte[] destination = address(words[3], bytes);
    int sourcePort = port(words[4]);
    int destinationPort = port(words[5]);
    if (source == null || destination == null || sourcePort < 0 || destinationPort < 0) {
      return MALFORMED;
    }
    Fields fields =
        new Text()
            .line(":version", "1.0")
            .line(":command", "PROXY")
            .addresses(source, sourcePort, destination, destinationPort)
            .fields();
    return new ProxyHeader(
        State.COMPLETE, length, source, sourcePort, destination, destinationPort, fields);
  }

  /** Composes the fields. */
  private static final class Text {
    private static final int EXPECTED_BYTES = 160;

    private final Fields fields = new Fields(8);
    private final FieldLines lines = new FieldLines(EXPECTED_BYTES);

    Text line(String name, String value) {
      byte[] bytes = value.getBytes(StandardCharsets.ISO_8859_1);
      return line(name, bytes, bytes.length);
    }

    private Text line(String name, byte[] value, int length) {
      int start = lines.length();
      lines.append(name).append(": ");
      int valueStart = lines.length();
      lines.append(value, 0, length);
      fields.add(FieldName.OTHER, start, name.length(), valueStart, lines.length());
      lines.append("\r\n");
      return this;
    }

    Text addresses(byte[] source, int sourcePort, byte[] destination, int destinationPort) {
      return line(":src_addr", IpText.text(source))
          .line(":dst_addr", IpText.text(destination))
          .line(":src_port", Integer.toString(sourcePort))
          .line(":dst_port", Integer.toString(destinationPort));
    }

    /** The extensions, which are valid. */
    Text extensions(ByteBuf in, int from, int end) {
      for (int at = from; at < end; ) {
        byte[] value = new byte[in.getUnsignedShort(at + 1)];
        in.getBytes(at + 3, value);
        line(Integer.toString(in.getUnsignedByte(at)), value, value.length);
        at += 3 + value.length;
      }
      return this;
    }

    Fields fields() {
      return fields.over(lines.toBytes());
    }
  }

  /** An address of so many bytes, IPv4 without leading zeros; null: it is none. */
  private static byte @Nullable [] address(String text, int bytes) {
    byte[] address = IpText.parse(text);
    if (address == null || address.length != bytes) {
      return null;
    }
    return bytes == 16 || IpText.text(address).equals(text) ? address : null;
  }

  /** A port in decimal digits without leading zeros; -1: it is none. */
  private static int port(String text) {
    if (!text.matches("0|[1-9][0-9]{0,4}")) {
      return -1;
    }
    int port = Integer.parseInt(text);
    return port <= 65_535 ? port : -1;
  }

  private static ProxyHeader version2(ByteBuf in) {
    int start = in.readerIndex();
    int command = in.getUnsignedByte(start + 12);
    int family = in.getUnsignedByte(start + 13);
    int rest = in.getUnsignedShort(start + 14);
    int length = FIXED_BYTES + rest;
    if (length > MAX_BYTES || (command != LOCAL && command != PROXY)) {
      return MALFORMED;
    }
    if (in.readableBytes() < length) {
      return INCOMPLETE;
    }
    int bytes = family == TCP4 ? 4 : family == TCP6 ? 16 : 0;
    Text text = new Text().line(":version", "2.0");
    if (command == LOCAL || bytes == 0) {
      return own(length, text.line(":command", command == LOCAL ? "LOCAL" : "PROXY").fields());
    }
    int addresses = 2 * bytes + 4;
    int at = start + FIXED_BYTES;
    if (rest < addresses || !extensionsAreValid(in, start, at + addresses, start + length)) {
      return MALFORMED;
    }
    byte[] source = new byte[bytes];
    byte[] destination = new byte[bytes];
    in.getBytes(at, source);
    in.getBytes(at + bytes, destination);
    int ports = at + 2 * bytes;
    int sourcePort = in.getUnsignedShort(ports);
    int destinationPort = in.getUnsignedShort(ports + 2);
    Fields fields =
        text.line(":command", "PROXY")
            .addresses(source, sourcePort, destination, destinationPort)
            .extensions(in, at + addresses, start + length)
            .fields();
    return new ProxyHeader(
        State.COMPLETE, length, source, sourcePort, destination, destinationPort, fields);
  }

  /** Whether the extensions (TLVs) fill the header exactly, and its checksum is right if given. */
  private static boolean extensionsAreValid(ByteBuf in, int start, int from, int end) {
    int at = from;
    while (at < end) {
      if (end - at < 3) {
        return false;
      }
      int type = in.getUnsignedByte(at);
      int length = in.getUnsignedShort(at + 1);
      int value = at + 3;
      if (length > end - value) {
        return false;
      }
      if (type == TYPE_CRC32C && (length != 4 || !checksumIsRight(in, start, end, value))) {
        return false;
      }
      at = value + length;
    }
    return true;
  }

  /** The sum is that of the whole header with zeros in its own place. */
  private static boolean checksumIsRight(ByteBuf in, int start, int end, int at) {
    byte[] header = new byte[end - start];
    in.getBytes(start, header);
    for (int i = 0; i < 4; i++) {
      header[at - start + i] = 0;
    }
    CRC32C sum = new CRC32C();
    sum.update(header);
    return (int) sum.getValue() == in.getInt(at);
  }
}
