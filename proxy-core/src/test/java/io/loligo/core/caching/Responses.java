package io.loligo.core.caching;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import java.nio.charset.StandardCharsets;

/** Stored responses for tests, on a clock that starts at {@link #NOW}. */
final class Responses {
  /** Sun, 06 Nov 1994 08:49:37 GMT. */
  static final long NOW = 784_111_777_000L;

  static final String URL = "http://origin.example/a";

  private Responses() {}

  /** The line {@code Date: ...} of a moment relative to {@link #NOW}. */
  static String date(String field, long secondsAfterNow) {
    FieldLines lines = new FieldLines(64);
    HttpDate.append(lines.append(field).append(": "), NOW + secondsAfterNow * 1000);
    return new String(lines.toBytes(), StandardCharsets.ISO_8859_1);
  }

  /** The decision about a response that arrives at {@link #NOW}. */
  static Storability storability(
      RequestHead request, ResponseHead response, CacheSettings settings) {
    return Storability.of(request, response, URL, NOW, NOW, 100, settings);
  }

  static Storability storability(RequestHead request, ResponseHead response) {
    return storability(request, response, CachingDefaults.DEFAULT);
  }

  /** A stored 200 that arrived at {@link #NOW}. */
  static StoredMeta stored(String... lines) {
    return stored(CachingDefaults.DEFAULT, 200, lines);
  }

  static StoredMeta stored(CacheSettings settings, int status, String... lines) {
    Storability storability = storability(Heads.get(), Heads.response(status, lines), settings);
    if (!storability.storable()) {
      throw new AssertionError(storability.reason());
    }
    return storability.meta();
  }
}
