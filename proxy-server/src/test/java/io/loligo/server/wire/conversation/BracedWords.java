package io.loligo.server.wire.conversation;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words in braces in a conversation. Immutable.
 *
 * @param here path under which this conversation has its URLs
 * @param nowMillis the fake clock
 */
public record BracedWords(String here, long nowMillis) {
  /** The site all URLs are of. */
  public static final String SITE = "site.test";

  private static final Pattern WORD =
      Pattern.compile("\\{(here|site|now)([+-]\\d+)?(?: (rfc850|asctime))?}|\\{(.)\\*(\\d+)}");

  /** {@code text} with the words replaced. */
  public String in(String text) {
    return WORD.matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(word(found.group(1), found)));
  }

  private String word(String name, java.util.regex.MatchResult found) {
    if (name == null) {
      return found.group(4).repeat(Integer.parseInt(found.group(5)));
    }
    return switch (name) {
      case "here" -> here;
      case "site" -> "http://" + SITE;
      default -> date(found.group(2), found.group(3));
    };
  }

  private String date(String offset, String form) {
    long seconds = offset == null ? 0 : Long.parseLong(offset);
    String pattern =
        form == null
            ? "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            : form.equals("rfc850")
                ? "EEEE, dd-MMM-yy HH:mm:ss 'GMT'"
                : "EEE MMM ppd HH:mm:ss yyyy";
    return DateTimeFormatter.ofPattern(pattern, Locale.US)
        .withZone(ZoneOffset.UTC)
        .format(Instant.ofEpochMilli(nowMillis).plusSeconds(seconds));
  }
}
