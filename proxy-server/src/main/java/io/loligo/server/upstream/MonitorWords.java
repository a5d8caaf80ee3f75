package io.loligo.server.upstream;

import io.loligo.core.config.Line;
import io.loligo.core.config.Option;
import io.loligo.core.config.Report;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options of one {@code cache_peer} line about checks. The first four are those of Squid 2, in
 * its units. Confined to one thread.
 */
final class MonitorWords {
  /** The interval in seconds without {@code monitorinterval=}, as in Squid 2. */
  static final int DEFAULT_INTERVAL_SECONDS = 300;

  /** The time-out in seconds without {@code monitortimeout=}, if the interval is not shorter. */
  static final int DEFAULT_TIMEOUT_SECONDS = 10;

  private static final int MAX_SECONDS = 86_400;
  private static final int MAX_BYTES = 1 << 20;
  private static final int MAX_COUNT = 100;
  private static final int MAX_URL = 4_096;
  private static final Pattern URL =
      Pattern.compile("(?:http://([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?)?(/[!-~]*)");
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,7})(?:-([0-9]{1,7}))?");

  private final Line line;
  private final Report report;
  private @Nullable String url;
  private boolean given;
  private int intervalSeconds = DEFAULT_INTERVAL_SECONDS;
  private int timeoutSeconds;
  private int minBytes;
  private int maxBytes = -1;
  private @Nullable StatusSet statuses = StatusSet.of("200");
  private int failures = 3;
  private int passes = 2;

  MonitorWords(Line line, Report report) {
    this.line = line;
    this.report = report;
  }

  /** Reads {@code word}; false: it is none of these options. */
  boolean take(String word, Option option) {
    String value = option.value() == null ? "" : option.value();
    switch (option.name()) {
      case "monitorurl" -> url = value;
      case "monitorinterval" -> intervalSeconds = count(word, option, MAX_SECONDS);
      case "monitortimeout" -> timeoutSeconds = count(word, option, MAX_SECONDS);
      case "monitorsize" -> size(word, value);
      case "monitorstatus" -> {
        statuses = StatusSet.of(value);
        if (statuses == null) {
          report.error(line, word, "monitorstatus= with statuses such as 200,300-399", "");
        }
      }
      case "monitorfailures" -> failures = count(word, option, MAX_COUNT);
      case "monitorpasses" -> passes = count(word, option, MAX_COUNT);
      default -> {
        return false;
      }
    }
    given = true;
    return true;
  }

  private int count(String word, Option option, int max) {
    int number = option.number(max);
    if (number < 1) {
      report.error(line, word, option.name() + "= with a number from 1 to " + max, "");
      return 1;
    }
    return number;
  }

  private void size(String word, String value) {
    Matcher bounds = SIZE.matcher(value);
    boolean valid = bounds.matches();
    if (valid) {
      minBytes = Integer.parseInt(bounds.group(1));
      maxBytes = bounds.group(2) == null ? -1 : Integer.parseInt(bounds.group(2));
    }
    if (!valid
        || Math.max(minBytes, maxBytes) > MAX_BYTES
        || (maxBytes >= 0 && maxBytes < minBytes)) {
      report.error(line, word, "monitorsize=MIN or MIN-MAX, at most " + MAX_BYTES + " bytes", "");
    }
  }

  /** The checks of {@code peer}, which has all its options; null: none, or an error is told. */
  @Nullable HealthCheck check(Peer peer) {
    if (url == null) {
      if (given) {
        report.error(line, "", "monitorurl= beside its options", "add it, or remove its options");
      }
      return null;
    }
    Matcher parts = URL.matcher(url);
    if (!parts.matches() || url.length() > MAX_URL) {
      report.error(line, "monitorurl=" + url, "/PATH or http://HOST/PATH", "");
      return null;
    }
    String host = parts.group(1);
    if (host == null && !peer.originServer()) {
      report.error(
          line,
          "monitorurl=" + url,
          "http://HOST/PATH: the peer is a proxy",
          "name a URL that the peer can get, or add originserver");
      return null;
    }
    String port = parts.group(2) == null ? "" : parts.group(2);
    int timeout =
        timeoutSeconds > 0 ? timeoutSeconds : Math.min(DEFAULT_TIMEOUT_SECONDS, intervalSeconds);
    return new HealthCheck(
        host == null ? authority(peer) : host + port,
        parts.group(3),
        TimeUnit.SECONDS.toMillis(intervalSeconds),
        TimeUnit.SECONDS.toMillis(timeout),
        minBytes,
        maxBytes,
        statuses == null ? StatusSet.NONE : statuses,
        failures,
        passes);
  }

  private static String authority(Peer peer) {
    String host = peer.host().indexOf(':') >= 0 ? "[" + peer.host() + "]" : peer.host();
    int usual = peer.tls() == null ? 80 : 443;
    return peer.port() == usual ? host : host + ":" + peer.port();
  }
}
