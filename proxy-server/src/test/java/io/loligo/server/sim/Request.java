package io.loligo.server.sim;

import java.util.List;

/** A request of a client, and what became of it. */
final class Request {
  final int id;
  final Resource resource;
  final String method;
  final boolean http10;
  final String language;

  /** Cache-Control, or null. */
  final String directive;

  /** The tag in If-None-Match, or null. */
  final String offered;

  /** First and last octet that are asked for, last -1: to the end; null: all. */
  final int[] range;

  final byte[] content;

  long sentNanos = -1;
  boolean headArrived;
  boolean over;
  int records;

  /** Status of its record in the log. */
  int loggedStatus = -1;

  /** Status that arrived. */
  int status;

  /**
   * A request for {@code resource}, drawn.
   *
   * @param crowd whether it is one of many equal ones
   */
  Request(World world, int id, Resource resource, boolean crowd) {
    this.id = id;
    this.resource = resource;
    boolean plain = crowd || world.chance(65);
    boolean posts = !plain && world.chance(12);
    this.method = posts ? "POST" : !plain && world.chance(10) ? "HEAD" : "GET";
    this.http10 = !crowd && world.chance(6);
    this.language = world.one(List.of("en", "de", "fr"));
    this.directive =
        plain || posts || world.chance(50)
            ? null
            : world.one(
                List.of(
                    "no-cache",
                    "max-age=0",
                    "max-age=" + world.draw(20),
                    "max-stale=" + world.draw(20),
                    "only-if-cached",
                    "no-store"));
    this.offered =
        plain || posts || world.chance(60)
            ? null
            : resource.tag(world.draw(3), resource.language(language));
    this.range =
        plain || posts || world.chance(70)
            ? null
            : new int[] {world.draw(400), world.chance(50) ? -1 : 400 + world.draw(400)};
    this.content = posts ? resource.content(world.draw(1000), "posted") : new byte[0];
  }

  /** Whether equal ones may share an answer. */
  boolean isPlain() {
    return method.equals("GET") && directive == null && offered == null && range == null;
  }

  boolean says(String wanted) {
    return wanted.equals(directive);
  }

  /** Seconds of a directive, or -1. */
  int seconds(String name) {
    return directive != null && directive.startsWith(name + "=")
        ? Integer.parseInt(directive.substring(name.length() + 1))
        : -1;
  }

  String head() {
    StringBuilder text = new StringBuilder();
    text.append(method).append(' ').append(resource.url());
    text.append(http10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
    text.append("Host: ").append(resource.host).append("\r\n");
    text.append("X-Req: ").append(id).append("\r\n");
    if (isPlain()) {
      text.append("X-Plain: 1\r\n");
    }
    if (!language.equals("fr")) {
      text.append("Accept-Language: ").append(language).append("\r\n");
    }
    if (directive != null) {
      text.append("Cache-Control: ").append(directive).append("\r\n");
    }
    if (offered != null) {
      text.append("If-None-Match: ").append(offered).append("\r\n");
    }
    if (range != null) {
      text.append("Range: bytes=").append(range[0]).append('-');
      text.append(range[1] < 0 ? "" : range[1]).append("\r\n");
    }
    if (method.equals("POST")) {
      text.append("Content-Length: ").append(content.length).append("\r\n");
    }
    return text.append("\r\n").toString();
  }

  @Override
  public String toString() {
    return "request " + id + ": " + head().replace("\r\n", " | ") + "of " + resource;
  }
}
