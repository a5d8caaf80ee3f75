package io.loligo.server.sim;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The resource of an origin under one URL: its content changes, its caching rules do not. */
final class Resource {
  private static final List<String> LANGUAGES = List.of("en", "de");

  final int number;
  final String host;
  final String path;

  /** Whether each language has content of its own. */
  final boolean varies;

  final boolean tagged;

  /** Seconds that an answer is fresh; negative: the origin does not say. */
  final int maxAge;

  final int whileRevalidate;
  final int ifError;
  final boolean mustRevalidate;

  /** Whether an answer is for one client only. */
  final boolean isPrivate;

  private final int baseLength;

  /** By version and language. */
  private final Map<String, byte[]> contents = new HashMap<>();

  /** The version that is current. */
  int version;

  Resource(World world, int number, int hosts) {
    this.number = number;
    this.host = (char) ('a' + world.draw(hosts)) + ".test";
    this.path = "/r" + number;
    this.varies = world.chance(25);
    this.tagged = world.chance(70);
    this.maxAge = world.one(List.of(-1, 0, 1, 3, 5, 10, 30, 30, 60, 60));
    this.whileRevalidate = world.chance(25) ? 1 + world.draw(20) : 0;
    this.ifError = world.chance(25) ? world.draw(30) : -1;
    this.mustRevalidate = world.chance(15);
    this.isPrivate = world.chance(12);
    this.baseLength =
        switch (world.draw(10)) {
          case 0 -> 0;
          case 1, 2, 3, 4, 5 -> world.draw(300);
          case 6, 7 -> world.draw(8_000);
          case 8 -> 20_000 + world.draw(20_000);
          default -> world.chance(30) ? 60_000 + world.draw(90_000) : world.draw(3_000);
        };
  }

  String url() {
    return "http://" + host + path;
  }

  /** The language that a request for {@code wanted} gets. */
  String language(String wanted) {
    return varies && wanted != null && LANGUAGES.contains(wanted) ? wanted : "any";
  }

  /** Whether concurrent requests get one response: it does not expire on its way. */
  boolean isShared() {
    return !isPrivate && maxAge > 2;
  }

  /** Bytes of its longest version. */
  int maxLength() {
    return baseLength + 28;
  }

  String tag(int version, String language) {
    return "\"" + number + "-" + version + "-" + language + "\"";
  }

  String cacheControl() {
    StringBuilder text = new StringBuilder();
    if (isPrivate) {
      text.append("private, ");
    }
    if (maxAge >= 0) {
      text.append("max-age=").append(maxAge).append(", ");
    }
    if (whileRevalidate > 0) {
      text.append("stale-while-revalidate=").append(whileRevalidate).append(", ");
    }
    if (ifError >= 0) {
      text.append("stale-if-error=").append(ifError).append(", ");
    }
    if (mustRevalidate) {
      text.append("must-revalidate, ");
    }
    return text.isEmpty() ? null : text.substring(0, text.length() - 2);
  }

  /** All bytes of one version. Callers leave them as they are. */
  byte[] content(int version, String language) {
    return contents.computeIfAbsent(version + language, key -> compose(version, language));
  }

  private byte[] compose(int version, String language) {
    int length = baseLength == 0 ? 0 : baseLength + version % 5 * 7;
    byte[] bytes = new byte[length];
    int salt = (number * 31 + version) * 31 + language.hashCode();
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (((salt + i) * 0x9E3779B1) >>> 23);
    }
    return bytes;
  }

  @Override
  public String toString() {
    return url() + " (" + cacheControl() + (varies ? ", varies" : "") + ")";
  }
}
