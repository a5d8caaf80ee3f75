package io.loligo.core.message;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.random.RandomGenerator;

/**
 * The handshake of WebSocket over HTTP/1.1 (RFC 6455 section 4) that the proxy makes for a client
 * of HTTP/2, whose request is an extended CONNECT without a key (RFC 8441 section 5). Stateless.
 */
public final class WebSocketHandshake {
  /** The name of the field with the key. */
  public static final String KEY = "Sec-WebSocket-Key";

  /** The name of the field that proves that a server has read the key. */
  public static final String ACCEPT = "Sec-WebSocket-Accept";

  private static final int KEY_BYTES = 16;

  /** RFC 6455 section 1.3. */
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

  private WebSocketHandshake() {}

  /** A new value of {@link #KEY}: 16 bytes of {@code random} in base64, in ASCII. */
  public static byte[] key(RandomGenerator random) {
    byte[] bytes = new byte[KEY_BYTES];
    random.nextBytes(bytes);
    return Base64.getEncoder().encode(bytes);
  }

  /** The value of {@link #ACCEPT} for {@code key} (RFC 6455 section 4.2.2). */
  public static String accept(String key) {
    byte[] proof = sha1().digest((key + GUID).getBytes(StandardCharsets.ISO_8859_1));
    return Base64.getEncoder().encodeToString(proof);
  }

  /**
   * Whether the proxy has made the handshake in {@code request}. Upgrade tells it: no other request
   * of HTTP/2 has this field.
   */
  public static boolean isOurs(RequestHead request) {
    return request.version() >= 20 && request.fields().has(FieldName.UPGRADE);
  }

  /**
   * Whether {@code reply}, a 101, proves that its server has read the key of {@code request}: with
   * exactly one line (RFC 6455 section 4.1).
   */
  public static boolean isAccepted(RequestHead request, ResponseHead reply) {
    int key = request.fields().next(KEY, 0);
    Fields fields = reply.fields();
    int line = fields.next(ACCEPT, 0);
    return key >= 0
        && line >= 0
        && fields.next(ACCEPT, line + 1) < 0
        && fields.value(line).equals(accept(request.fields().value(key)));
  }

  private static MessageDigest sha1() {
    try {
      return MessageDigest.getInstance("SHA-1");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }
}
