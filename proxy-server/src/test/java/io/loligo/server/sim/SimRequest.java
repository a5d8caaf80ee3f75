package io.loligo.server.sim;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;

/** A request of a client, and its outcome. */
final class SimRequest {
  /** Lengths of the content of a QUERY; the last exceeds a key. */
  private static final List<Integer> QUESTION_BYTES = List.of(1, 40, 3_000, 17_000);

  final int id;
  final Resource resource;
  final String method;
  final boolean http10;
  final String language;

  /** Cache-Control, or null. */
  final String directive;

  /** The tag in If-None-Match, or null. */
  final String offered;

  /** First and last byte that are asked for, last -1: to the end; null: all. */
  final int[] range;

  final byte[] content;

  /** Content-Type of a QUERY. */
  private final String type;

  private final boolean chunked;

  long sentNanos = -1;
  boolean headArrived;
  boolean over;
  int records;

  /** Number of its arrivals at a server that could carry it out, if it must not be repeated. */
  int arrivals;

  /** Status of its record in the log. */
  int loggedStatus = -1;

  /**
   * Whether disks had confirmed, when it was answered, that they have forgotten the responses that
   * it removes.
   */
  boolean invalidated;

  /** Status that arrived. */
  int status;

  /**
   * A request for {@code resource}, drawn.
   *
   * @param crowd whether it is one of many equal ones
   * @param queries whether it may be a QUERY
   */
  SimRequest(World world, int id, Resource resource, boolean crowd, boolean queries) {
    this.id = id;
    this.resource = resource;
    boolean plain = crowd || world.chance(65);
    boolean posts = !plain && world.chance(12);
    boolean query = queries && !posts && world.chance(35);
    this.method = query ? "QUERY" : posts ? "POST" : !plain && world.chance(10) ? "HEAD" : "GET";
    this.content =
        query
            ? question(world.draw(QUESTION_BYTES.size()))
            : posts ? resource.content(world.draw(1000), "posted") : new byte[0];
    this.type = query && world.chance(30) ? "text/csv" : "text/plain";
    this.http10 = !crowd && world.chance(6);
    this.chunked = query && !http10 && world.chance(40);
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
        plain || posts || world.chance(60) ? null : resource.tag(world.draw(3), variant());
    this.range =
        plain || posts || query || world.chance(70)
            ? null
            : new int[] {world.draw(400), world.chance(50) ? -1 : 400 + world.draw(400)};
  }

  /** The content of a QUERY: short, long, or too long to be part of a key. */
  private static byte[] question(int number) {
    byte[] bytes = new byte[QUESTION_BYTES.get(number)];
    Arrays.fill(bytes, (byte) '.');
    bytes[0] = (byte) ('0' + number);
    return bytes;
  }

  /** The variant for {@code language} if {@code content} is part of the request. */
  static String variant(String language, byte[] content, String type) {
    return language + "+" + (char) content[0] + type.charAt(5);
  }

  /** The variant of the resource that it requests. */
  String variant() {
    String wanted = resource.language(language);
    return isQuery() ? variant(wanted, content, type) : wanted;
  }

  boolean isQuery() {
    return method.equals("QUERY");
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
    if (isQuery()) {
      text.append("Content-Type: ").append(type).append("\r\n");
    }
    if (chunked) {
      text.append("Transfer-Encoding: chunked\r\n");
    } else if (method.equals("POST") || isQuery()) {
      text.append("Content-Length: ").append(content.length).append("\r\n");
    }
    return text.append("\r\n").toString();
  }

  /** All that is sent. */
  byte[] bytes() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(head().getBytes(ISO_8859_1));
    if (chunked) {
      out.writeBytes((Integer.toHexString(content.length) + "\r\n").getBytes(ISO_8859_1));
    }
    out.writeBytes(content);
    if (chunked) {
      out.writeBytes("\r\n0\r\n\r\n".getBytes(ISO_8859_1));
    }
    return out.toByteArray();
  }

  @Override
  public String toString() {
    return "request " + id + ": " + head().replace("\r\n", " | ") + "of " + resource;
  }
}
