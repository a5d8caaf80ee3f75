package io.loligo.server.tls;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads a client's first message (RFC 8446 section 4.1.2) before any decryption, for the choice of
 * the certificate or for the rules about a tunnel. Stateless.
 *
 * @param state whether the other values are there
 * @param serverName in lower case; null: none
 * @param ecdsa whether the client accepts a certificate of ECDSA
 * @param encryptedHello whether it has the extension Encrypted ClientHello; a client that has
 *     nothing to hide may send it too, with random content
 * @param version the version in the message itself, as two bytes: 0x0303 is TLS 1.2; 0: unknown
 * @param newestVersion the newest version that the client supports, likewise
 */
public record ClientHello(
    State state,
    @Nullable String serverName,
    boolean ecdsa,
    boolean encryptedHello,
    int version,
    int newestVersion) {
  /** The most bytes of a first message. */
  public static final int MOST_BYTES = 16 << 10;

  /** The most records that a first message may be cut into. */
  private static final int MOST_RECORDS = 32;

  private static final int RECORD_HEAD = 5;
  private static final int MESSAGE_HEAD = 4;
  private static final int HANDSHAKE = 22;
  private static final int CLIENT_HELLO = 1;
  private static final int MOST_RECORD_BYTES = 1 << 14;
  private static final int RANDOM_BYTES = 32;
  private static final int EXTENSION_SERVER_NAME = 0;
  private static final int EXTENSION_SIGNATURES = 13;
  private static final int EXTENSION_VERSIONS = 43;
  private static final int EXTENSION_ENCRYPTED_HELLO = 0xfe0d;
  private static final int TLS_1_3 = 0x0304;
  private static final int MOST_NAME_BYTES = 255;

  /** The outcome of the reading. */
  public enum State {
    /** More bytes are needed. */
    INCOMPLETE,
    /** The message is complete and well formed. */
    COMPLETE,
    /** The bytes are no TLS. */
    PLAINTEXT,
    /** The bytes begin as TLS, and are malformed. */
    MALFORMED,
    /** The message is larger than {@value ClientHello#MOST_BYTES} bytes. */
    OVERSIZED,
    /** The server name has forbidden characters. */
    BAD_NAME
  }

  private static ClientHello failed(State state) {
    return new ClientHello(state, null, false, false, 0, 0);
  }

  /** Reads {@code bytes}, borrowed; its indices do not move. */
  public static ClientHello read(ByteBuf bytes) {
    int at = bytes.readerIndex();
    int end = bytes.writerIndex();
    ByteBuffer message = null;
    byte[] head = new byte[MESSAGE_HEAD];
    int got = 0;
    for (int records = 0; ; records++) {
      if (at < end && bytes.getUnsignedByte(at) != HANDSHAKE) {
        return failed(records == 0 ? State.PLAINTEXT : State.MALFORMED);
      }
      if (at + 1 < end && bytes.getUnsignedByte(at + 1) != 3) {
        return failed(State.MALFORMED);
      }
      if (records > MOST_RECORDS) {
        return failed(State.MALFORMED);
      }
      if (end - at < RECORD_HEAD) {
        return failed(State.INCOMPLETE);
      }
      int length = bytes.getUnsignedShort(at + 3);
      if (length == 0 || length > MOST_RECORD_BYTES) {
        return failed(State.MALFORMED);
      }
      at += RECORD_HEAD;
      int available = Math.min(length, end - at);
      int read = 0;
      while (got < MESSAGE_HEAD && read < available) {
        head[got++] = bytes.getByte(at + read++);
      }
      if (got == MESSAGE_HEAD && message == null) {
        int size = ((head[1] & 0xff) << 16) | ((head[2] & 0xff) << 8) | (head[3] & 0xff);
        if (head[0] != CLIENT_HELLO) {
          return failed(State.MALFORMED);
        }
        if (size > MOST_BYTES) {
          return failed(State.OVERSIZED);
        }
        if (size > end - at) {
          return failed(State.INCOMPLETE);
        }
        message = ByteBuffer.allocate(size);
      }
      if (message != null) {
        int more = Math.min(available - read, message.remaining());
        bytes.getBytes(at + read, message.array(), message.position(), more);
        message.position(message.position() + more);
        if (!message.hasRemaining()) {
          return parsed(message.flip());
        }
      }
      if (available < length) {
        return failed(State.INCOMPLETE);
      }
      at += length;
    }
  }

  private static ClientHello parsed(ByteBuffer in) {
    try {
      int version = in.getShort() & 0xffff;
      skip(in, RANDOM_BYTES);
      skip(in, in.get() & 0xff);
      boolean old = offersEcdsa(slice(in, in.getShort() & 0xffff));
      skip(in, in.get() & 0xff);
      ByteBuffer extensions =
          in.hasRemaining() ? slice(in, in.getShort() & 0xffff) : ByteBuffer.allocate(0);
      if (in.hasRemaining()) {
        return failed(State.MALFORMED);
      }
      return ofExtensions(extensions, old, version);
    } catch (java.nio.BufferUnderflowException | IllegalArgumentException e) {
      return failed(State.MALFORMED);
    }
  }

  private static ClientHello ofExtensions(ByteBuffer in, boolean ecdsaSuites, int version) {
    String name = null;
    boolean signatures = false;
    int newest = version;
    boolean encrypted = false;
    while (in.hasRemaining()) {
      int type = in.getShort() & 0xffff;
      ByteBuffer content = slice(in, in.getShort() & 0xffff);
      switch (type) {
        case EXTENSION_SERVER_NAME -> {
          name = serverName(content);
          if (name != null && !isName(name)) {
            return failed(State.BAD_NAME);
          }
        }
        case EXTENSION_SIGNATURES -> signatures = verifiesEcdsa(content);
        case EXTENSION_VERSIONS -> newest = newestOf(content, version);
        case EXTENSION_ENCRYPTED_HELLO -> encrypted = true;
        default -> {} // of no use here
      }
    }
    String normal = name == null ? null : normal(name);
    return new ClientHello(
        State.COMPLETE,
        normal,
        signatures && (newest >= TLS_1_3 || ecdsaSuites),
        encrypted,
        version,
        newest);
  }

  /** The first host name (RFC 6066 section 3); null: none. */
  private static @Nullable String serverName(ByteBuffer content) {
    ByteBuffer names = slice(content, content.getShort() & 0xffff);
    while (names.hasRemaining()) {
      int type = names.get();
      ByteBuffer name = slice(names, names.getShort() & 0xffff);
      if (type == 0) {
        return StandardCharsets.ISO_8859_1.decode(name).toString();
      }
    }
    return null;
  }

  private static boolean isName(String name) {
    if (name.isEmpty() || name.length() > MOST_NAME_BYTES) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      boolean plain = letter || (c >= '0' && c <= '9') || "-._:".indexOf(c) >= 0;
      if (!plain) {
        return false;
      }
    }
    return true;
  }

  private static String normal(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  /** Whether one of the suites of TLS 1.2 has ECDHE_ECDSA. */
  private static boolean offersEcdsa(ByteBuffer suites) {
    while (suites.remaining() >= 2) {
      switch (suites.getShort() & 0xffff) {
        case 0xc009, 0xc00a, 0xc02b, 0xc02c, 0xcca9 -> {
          return true;
        }
        default -> {} // RSA, or not in use
      }
    }
    return false;
  }

  /** Whether ecdsa_secp256r1_sha256, ecdsa_secp384r1_sha384 or ecdsa_secp521r1_sha512 is there. */
  private static boolean verifiesEcdsa(ByteBuffer content) {
    ByteBuffer schemes = slice(content, content.getShort() & 0xffff);
    while (schemes.remaining() >= 2) {
      int scheme = schemes.getShort() & 0xffff;
      if (scheme == 0x0403 || scheme == 0x0503 || scheme == 0x0603) {
        return true;
      }
    }
    return false;
  }

  /** The newest known version of {@code content}; {@code otherwise}: it has none. */
  private static int newestOf(ByteBuffer content, int otherwise) {
    ByteBuffer versions = slice(content, content.get() & 0xff);
    int newest = 0;
    while (versions.remaining() >= 2) {
      int version = versions.getShort() & 0xffff;
      // others are reserved values, which clients send at random (RFC 8701)
      if (version <= TLS_1_3 && version > newest) {
        newest = version;
      }
    }
    return newest == 0 ? otherwise : newest;
  }

  private static void skip(ByteBuffer in, int length) {
    slice(in, length);
  }

  private static ByteBuffer slice(ByteBuffer in, int length) {
    if (length > in.remaining()) {
      throw new IllegalArgumentException("cut off");
    }
    ByteBuffer slice = in.slice(in.position(), length);
    in.position(in.position() + length);
    return slice;
  }
}
