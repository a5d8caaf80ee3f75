package io.loligo.server.adapt;

import io.loligo.core.message.Decimal;
import io.loligo.core.message.Fields;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * The options that a service has told (RFC 3507 section 4.10). Immutable.
 *
 * @param adaptsRequests whether Methods has REQMOD
 * @param adaptsResponses whether Methods has RESPMOD
 * @param preview bytes of a preview; -1: none is wanted
 * @param maxConnections the most connections; -1: not told
 * @param allowsPartial whether Allow has 206
 * @param ttlSeconds how long the options hold; -1: not told
 * @param previewed extensions of URLs in lower case, see {@link Transfer#PREVIEW}
 * @param ignored see {@link Transfer#IGNORE}
 * @param completed see {@link Transfer#COMPLETE}
 * @param usual of other URLs
 */
record IcapOptions(
    boolean adaptsRequests,
    boolean adaptsResponses,
    int preview,
    int maxConnections,
    boolean allowsPartial,
    int ttlSeconds,
    Set<String> previewed,
    Set<String> ignored,
    Set<String> completed,
    Transfer usual) {
  /** How the content of a message is sent. */
  enum Transfer {
    /** A preview first. */
    PREVIEW,
    /** The message is not sent. */
    IGNORE,
    /** The whole, without a preview. */
    COMPLETE
  }

  /** The most extensions of one list that are kept. */
  static final int MAX_EXTENSIONS = 1_000;

  private static final int MAX_NUMBER = 1_000_000_000;

  /** Those in {@code fields}, borrowed, the fields of a response to OPTIONS. */
  static IcapOptions of(Fields fields) {
    Set<String> previewed = list(fields, "Transfer-Preview");
    Set<String> ignored = list(fields, "Transfer-Ignore");
    Set<String> completed = list(fields, "Transfer-Complete");
    Transfer usual = Transfer.COMPLETE;
    if (completed.contains("*")) {
      usual = Transfer.COMPLETE;
    } else if (ignored.contains("*")) {
      usual = Transfer.IGNORE;
    } else if (previewed.contains("*")) {
      usual = Transfer.PREVIEW;
    }
    Set<String> methods = list(fields, "Methods");
    return new IcapOptions(
        methods.contains("reqmod"),
        methods.contains("respmod"),
        number(fields, "Preview"),
        number(fields, "Max-Connections"),
        list(fields, "Allow").contains("206"),
        number(fields, "Options-TTL"),
        previewed,
        ignored,
        completed,
        usual);
  }

  /** Whether the service adapts such messages as {@code service} says. */
  boolean allows(IcapService service) {
    return service.responses() ? adaptsResponses : adaptsRequests;
  }

  /** How a message about {@code path}, the path and query of its URL, is sent. */
  Transfer transfer(String path) {
    int end = path.indexOf('?');
    String plain = end < 0 ? path : path.substring(0, end);
    int dot = plain.lastIndexOf('.');
    if (dot < 0 || dot < plain.lastIndexOf('/')) {
      return usual;
    }
    String extension = plain.substring(dot + 1).toLowerCase(Locale.ROOT);
    if (previewed.contains(extension)) {
      return Transfer.PREVIEW;
    }
    if (completed.contains(extension)) {
      return Transfer.COMPLETE;
    }
    return ignored.contains(extension) ? Transfer.IGNORE : usual;
  }

  private static int number(Fields fields, String name) {
    int field = fields.next(name, 0);
    long value = field < 0 ? -1 : Decimal.of(fields, field);
    return value == Decimal.TOO_LARGE
        ? MAX_NUMBER
        : (int) Math.max(-1, Math.min(value, MAX_NUMBER));
  }

  private static Set<String> list(Fields fields, String name) {
    String all = fields.joined(name);
    Set<String> members = new HashSet<>();
    if (all != null) {
      for (String member : all.split(",", MAX_EXTENSIONS)) {
        String trimmed = member.strip();
        if (!trimmed.isEmpty()) {
          members.add(trimmed.toLowerCase(Locale.ROOT));
        }
      }
    }
    return Set.copyOf(members);
  }
}
