package io.loligo.junit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The response of a {@link TestOrigin} for a path, which a test may change at any time. It begins
 * as 200 with the content of {@link TestOrigin#respond} and {@code Cache-Control: max-age=3600}.
 * Thread-safe: any thread.
 */
public final class OriginResponse {
  /** Fields, each once. Guarded by {@code this}. */
  private final Map<String, String> fields = new LinkedHashMap<>();

  private int status = 200;
  private byte[] content;
  private long cutAfterBytes = -1;
  private Duration delay = Duration.ZERO;

  OriginResponse(byte[] content) {
    this.content = content;
    fields.put("Cache-Control", "max-age=3600");
  }

  /** One state of a response. */
  record State(
      int status, Map<String, String> fields, byte[] content, long cutAfterBytes, Duration delay) {}

  synchronized State state() {
    return new State(status, new LinkedHashMap<>(fields), content, cutAfterBytes, delay);
  }

  /**
   * Sets the status, such as 503.
   *
   * @throws IllegalArgumentException if it is not from 200 to 599
   */
  public synchronized OriginResponse status(int status) {
    if (status < 200 || status > 599) {
      throw new IllegalArgumentException("status: " + status + " (expected: 200 to 599)");
    }
    this.status = status;
    return this;
  }

  /** Sets a field, in place of one with the same name in the same case. */
  public synchronized OriginResponse field(String name, String value) {
    fields.put(name, value);
    return this;
  }

  /** Removes a field. */
  public synchronized OriginResponse without(String name) {
    fields.remove(name);
    return this;
  }

  /** Sets the content, in UTF-8. */
  public synchronized OriginResponse content(String text) {
    content = text.getBytes(UTF_8);
    return this;
  }

  /**
   * Closes the connection after so many bytes of the content, whose whole length is announced.
   *
   * @param bytes 0: after the head; -1: it is not cut
   */
  public synchronized OriginResponse cutAfter(long bytes) {
    cutAfterBytes = bytes;
    return this;
  }

  /** Waits for this time of the machine before the response. */
  public synchronized OriginResponse delay(Duration time) {
    delay = time;
    return this;
  }
}
