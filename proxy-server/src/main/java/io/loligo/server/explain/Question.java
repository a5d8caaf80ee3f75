package io.loligo.server.explain;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to be explained, which is not sent. Immutable.
 *
 * @param url absolute; a fragment is ignored
 * @param method as it would be sent
 * @param fieldLines {@code Name: value} each
 * @param client address of the client, for the rules, or null for 127.0.0.1
 * @param content of the request, in UTF-8; it matters for QUERY only
 * @param portName name of the http_port that would get it, or null for the first forward port
 */
public record Question(
    String url,
    String method,
    List<String> fieldLines,
    String content,
    @Nullable String client,
    @Nullable String portName) {

  /** Keeps a copy of {@code fieldLines}. */
  public Question {
    fieldLines = List.copyOf(fieldLines);
  }

  /** A GET from this machine to the first forward port. */
  public static Question get(String url, List<String> fieldLines) {
    return new Question(url, "GET", fieldLines, "", null, null);
  }
}
