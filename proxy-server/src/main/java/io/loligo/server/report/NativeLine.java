package io.loligo.server.report;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Squid's native format: time, duration, client, result/status, bytes, method, URL, user,
 * hierarchy/peer and media type, divided by blanks; more words may follow, and the last one may
 * have stages ({@code loligo_stages}). Confined to one thread.
 */
final class NativeLine extends LineCursor {
  private static final long MICROS = 1_000_000;

  /** The name of the response time among the stages: to a microsecond, unlike the second word. */
  private static final byte[] TOTAL = "total".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] GET = "GET".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] CONNECT = "CONNECT".getBytes(StandardCharsets.US_ASCII);

  /** Words behind the URL that every line has. */
  private static final int LAST_WORDS = 3;

  private final ResultCodes results;

  NativeLine(ResultCodes results) {
    this.results = results;
  }

  /** Fills {@code into}; false: the line does not have this format. */
  boolean parse(byte[] line, int from, int to, LoggedAccess into) {
    begin(line, from, to);
    return times(into) && result(into) && request(into) && rest(into);
  }

  private boolean times(LoggedAccess into) {
    blanks();
    long seconds = digits();
    if (seconds < 0 || seconds > Integer.MAX_VALUE * 4L || !pass('.')) {
      return false;
    }
    into.endMicros = seconds * MICROS + millionths();
    if (!blanks()) {
      return false;
    }
    boolean negative = pass('-'); // the clock was set back
    long millis = digits();
    into.micros = negative ? 0 : Math.min(millis, LineParser.LONGEST_MICROS / 1000) * 1000;
    return (millis >= 0 || negative) && blanks() && word() && blanks();
  }

  private boolean result(LoggedAccess into) {
    int start = at;
    while (at < end && bytes[at] != '/' && bytes[at] != ' ') {
      at++;
    }
    if (!isAt('/') || !results.classify(bytes, start, at, into)) {
      return false;
    }
    at++;
    long status = digits();
    if (status < 0 || status > 999 || !blanks()) {
      return false;
    }
    into.status = (int) status;
    into.bytes = pass('-') ? 0 : digits();
    return into.bytes >= 0 && blanks();
  }

  private boolean request(LoggedAccess into) {
    int start = at;
    if (!word()) {
      return false;
    }
    into.get = isText(start, at, GET);
    if (isText(start, at, CONNECT)) {
      into.kind = AccessKind.OTHER;
    }
    if (!blanks()) {
      return false;
    }
    start = at;
    boolean url = word();
    into.file = hash(start, at);
    return url;
  }

  private boolean rest(LoggedAccess into) {
    int words = 0;
    int start = at;
    int stop = at;
    while (blanks() && at < end) {
      start = at;
      word();
      stop = at;
      words++;
    }
    if (words > LAST_WORDS) {
      at = start;
      end = stop;
      stages(into);
    }
    return words >= LAST_WORDS;
  }

  /** {@code name:micros} joined by commas, or {@code -}; anything else is no stages. */
  private void stages(LoggedAccess into) {
    if (pass('-')) {
      into.staged = at == end;
      return;
    }
    int hint = 0;
    boolean known = false;
    long totalMicros = -1;
    do {
      int start = at;
      while (at < end && bytes[at] != ':') {
        at++;
      }
      int stop = at;
      long micros = pass(':') ? digits() : -1;
      if (micros < 0) {
        into.unstage();
        return;
      }
      int stage = LoggedStage.find(bytes, start, stop, hint);
      if (stage >= 0) {
        into.stage(stage, Math.min(micros, LineParser.LONGEST_MICROS));
        hint = stage + 1;
        known = true;
      } else if (Arrays.equals(bytes, start, stop, TOTAL, 0, TOTAL.length)) {
        totalMicros = micros;
      }
    } while (pass(','));
    if (known && at == end) {
      into.staged = true;
      into.micros = totalMicros < 0 ? into.micros : totalMicros;
    } else {
      into.unstage();
    }
  }

  private boolean blanks() {
    int start = at;
    while (at < end && bytes[at] == ' ') {
      at++;
    }
    return at > start;
  }

  private boolean word() {
    int start = at;
    while (at < end && bytes[at] != ' ') {
      at++;
    }
    return at > start;
  }
}
