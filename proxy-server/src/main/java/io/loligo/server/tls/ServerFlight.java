package io.loligo.server.tls;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a server's first messages up to its certificate (RFC 5246 section 7.4), without decryption:
 * that of TLS 1.2 is readable, that of TLS 1.3 is not. Immutable.
 *
 * @param complete false: more bytes may tell more
 * @param chain the server's certificate, then those above it, not verified; empty: it cannot be
 *     known, or not yet
 */
public record ServerFlight(boolean complete, List<X509Certificate> chain) {
  /** The most certificates of a chain; the others are left out. */
  private static final int MOST_CERTIFICATES = 10;

  /** The most bytes that are read for a certificate with its chain. */
  public static final int MOST_BYTES = 64 << 10;

  private static final int RECORD_HEAD = 5;
  private static final int MESSAGE_HEAD = 4;
  private static final int HANDSHAKE = 22;
  private static final int SERVER_HELLO = 2;
  private static final int CERTIFICATE = 11;
  private static final int RANDOM_AND_VERSION = 34;
  private static final int SUITE_AND_COMPRESSION = 3;
  private static final int EXTENSION_VERSIONS = 43;

  private static final ServerFlight INCOMPLETE = new ServerFlight(false, List.of());
  private static final ServerFlight UNKNOWN = new ServerFlight(true, List.of());

  /** Reads {@code bytes}, borrowed; its indices do not move. */
  public static ServerFlight read(ByteBuf bytes) {
    ByteBuffer messages = ByteBuffer.allocate(Math.min(bytes.readableBytes(), MOST_BYTES));
    boolean more = handshake(bytes, messages);
    messages.flip();
    while (messages.remaining() >= MESSAGE_HEAD) {
      int head = messages.getInt();
      int length = head & 0xffffff;
      if (length > messages.remaining()) {
        break;
      }
      ByteBuffer message = messages.slice(messages.position(), length);
      messages.position(messages.position() + length);
      switch (head >>> 24) {
        case SERVER_HELLO -> {
          if (encryptsCertificate(message)) {
            return UNKNOWN;
          }
        }
        case CERTIFICATE -> {
          return new ServerFlight(true, chain(message));
        }
        default -> {
          return UNKNOWN;
        }
      }
    }
    return more && bytes.readableBytes() < MOST_BYTES ? INCOMPLETE : UNKNOWN;
  }

  /** Joins the content of records of the handshake; false: other records follow. */
  private static boolean handshake(ByteBuf bytes, ByteBuffer to) {
    int at = bytes.readerIndex();
    int end = bytes.writerIndex();
    while (at < end) {
      if (bytes.getUnsignedByte(at) != HANDSHAKE) {
        return false;
      }
      if (end - at < RECORD_HEAD) {
        return true;
      }
      int length = bytes.getUnsignedShort(at + 3);
      at += RECORD_HEAD;
      int available = Math.min(Math.min(length, end - at), to.remaining());
      bytes.getBytes(at, to.slice(to.position(), available));
      to.position(to.position() + available);
      at += length;
    }
    return true;
  }

  /** Whether the version is TLS 1.3: then the extension for it is there. */
  private static boolean encryptsCertificate(ByteBuffer hello) {
    try {
      hello.position(RANDOM_AND_VERSION);
      hello.position(hello.position() + 1 + (hello.get(hello.position()) & 0xff));
      hello.position(hello.position() + SUITE_AND_COMPRESSION);
      if (!hello.hasRemaining()) {
        return false;
      }
      hello.getShort();
      while (hello.hasRemaining()) {
        if ((hello.getShort() & 0xffff) == EXTENSION_VERSIONS) {
          return true;
        }
        int length = hello.getShort() & 0xffff;
        hello.position(hello.position() + length);
      }
      return false;
    } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
      return true; // malformed: nothing after it is trusted
    }
  }

  /** The certificates of the message; empty: one of them cannot be read. */
  private static List<X509Certificate> chain(ByteBuffer message) {
    List<X509Certificate> chain = new ArrayList<>();
    try {
      length(message);
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      while (message.hasRemaining() && chain.size() < MOST_CERTIFICATES) {
        int length = length(message);
        if (length > message.remaining()) {
          return List.of();
        }
        byte[] encoded = new byte[length];
        message.get(encoded);
        chain.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(encoded)));
      }
      return List.copyOf(chain);
    } catch (BufferUnderflowException | IllegalArgumentException | CertificateException e) {
      return List.of();
    }
  }

  private static int length(ByteBuffer message) {
    return (message.get() & 0xff) << 16 | (message.getShort() & 0xffff);
  }
}
