package io.loligo.core.fuzz;

import io.loligo.core.caching.CacheControl;
import io.loligo.core.caching.Heads;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.LongStream;

/**
 * Any value of Cache-Control has the same meaning in any case of its letters, with unknown
 * directives around it, and on one line or several; its numbers are in range.
 */
final class CacheControlFuzz {
  private CacheControlFuzz() {}

  static void test(byte[] bytes) {
    String value = FuzzValues.line(bytes);
    CacheControl directives = response(value);
    CacheControl asked = CacheControl.ofRequest(Heads.fields("Cache-Control: " + value));
    seconds(directives);
    seconds(asked);
    FuzzValues.require(directives.equals(response(upper(value))), "case");
    if (value.indexOf('"') < 0) {
      FuzzValues.require(directives.equals(response("x-new=1," + value + ", x-other")), "unknown");
      String[] lines =
          value
              .lines()
              .flatMap(line -> Arrays.stream(line.split(",", -1)))
              .map(one -> "Cache-Control: " + one.strip())
              .toArray(String[]::new);
      FuzzValues.require(directives.equals(CacheControl.ofResponse(Heads.fields(lines))), "lines");
    }
  }

  private static CacheControl response(String value) {
    return CacheControl.ofResponse(Heads.fields("Cache-Control: " + value));
  }

  /** Letters of US-ASCII only, because no others have cases in HTTP. */
  private static String upper(String value) {
    StringBuilder text = new StringBuilder(value);
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      text.setCharAt(
          i,
          character < 0x80
              ? String.valueOf(character).toUpperCase(Locale.ROOT).charAt(0)
              : character);
    }
    return text.toString();
  }

  private static void seconds(CacheControl directives) {
    LongStream.of(
            directives.maxAgeSeconds(),
            directives.sharedMaxAgeSeconds(),
            directives.minFreshSeconds(),
            directives.maxStaleSeconds(),
            directives.staleWhileRevalidateSeconds(),
            directives.staleIfErrorSeconds())
        .forEach(
            each ->
                FuzzValues.require(
                    each == CacheControl.ABSENT || (each >= 0 && each <= CacheControl.MAX_SECONDS),
                    "seconds " + each));
  }
}
