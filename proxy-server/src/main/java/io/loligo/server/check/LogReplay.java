package io.loligo.server.check;

import io.loligo.core.acl.AclType;
import io.loligo.core.config.ExaminedConfig;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.check.GivenRequest.Facts;
import io.loligo.server.check.GivenRequest.Unacceptable;
import io.loligo.server.check.ListAnswer.Outcome;
import io.loligo.server.check.LoggedRequest.Verdict;
import io.loligo.server.exchange.settings.AccessDirectives;
import io.loligo.server.explain.Question;
import io.loligo.server.json.JsonWriter;
import io.loligo.server.logfile.LogFileLines;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks {@code http_access} and {@code miss_access} about the requests of a log, and counts where
 * the verdicts differ from those in the log. Its memory does not grow with the log. Confined to one
 * thread.
 */
public final class LogReplay {
  /** Lines of the file in a report; others are counted together. */
  private static final int MAX_RULES = 10_000;

  /** Between two calls about the progress: some milliseconds of work. */
  static final int LINES_A_STEP = 256;

  private static final int SAME = 0;
  private static final int DIFFERENT = 1;

  private final ProxyConfig config;
  private final RequestTrial access;
  private final @Nullable RequestTrial miss;
  private final LoggedFormat format;
  private final int shown;
  private final long nowMillis;
  private final Map<String, Tally> rules = new TreeMap<>(RequestTrial::inOrder);
  private final Map<String, Long> undecided = new TreeMap<>();
  private long lines;
  private long bad;
  private long without;
  private long same;
  private long nowDenied;
  private long nowAllowed;

  /** What one line of the file decides. */
  private static final class Tally {
    private final String rule;
    private long requests;
    private final Map<String, Long> differences = new LinkedHashMap<>();
    private final List<String> examples = new ArrayList<>();

    Tally(String rule) {
      this.rule = rule;
    }
  }

  /**
   * A replay with the rules of {@code examined}, whose {@code config} has no errors.
   *
   * @param codes of the log, as in a {@code logformat} line
   * @param examples requests shown of each line of the file
   * @param nowMillis the time of requests whose line has none
   */
  public LogReplay(
      ExaminedConfig examined, ProxyConfig config, String codes, int examples, long nowMillis) {
    this.config = config;
    format = LoggedFormat.of(codes);
    shown = examples;
    this.nowMillis = nowMillis;
    access = new RequestTrial(config, examined.rules(), config.get(AccessDirectives.HTTP_ACCESS));
    miss =
        config.get(AccessDirectives.MISS_ACCESS).isEmpty()
            ? null
            : new RequestTrial(config, examined.rules(), config.get(AccessDirectives.MISS_ACCESS));
  }

  /**
   * Reads all lines of {@code log}, which the caller closes.
   *
   * @param progress gets the number of lines read so far, after each {@value #LINES_A_STEP}
   */
  public void read(InputStream log, LongConsumer progress) throws IOException {
    LogFileLines text = new LogFileLines(log, LogFileLines.LONGEST * 2);
    while (text.next()) {
      line(text);
      if (lines % LINES_A_STEP == 0) {
        progress.accept(lines);
      }
    }
  }

  private void line(LogFileLines text) {
    lines++;
    int length = text.end() - text.start();
    Map<String, String> values =
        text.tooLong()
            ? null
            : format.values(
                new String(text.bytes(), text.start(), length, StandardCharsets.ISO_8859_1)
                    .strip());
    LoggedRequest logged = values == null ? null : LoggedRequest.of(values, format, nowMillis);
    if (logged == null) {
      bad++;
    } else if (logged.verdict() == Verdict.NONE) {
      without++;
    } else {
      judge(logged);
    }
  }

  private void judge(LoggedRequest logged) {
    byte[] address = NetUtil.createByteArrayFromIpAddressString(logged.client());
    if (address == null) {
      undecided("the address of the client");
      return;
    }
    Facts facts = new Facts(logged.user(), Map.of(), Map.of(), logged.millis());
    Question question =
        new Question(logged.url(), logged.method(), logged.fields(), "", logged.client(), null);
    HttpPort port = PortDirectives.portFor(config, null, logged.url());
    if (port == null) {
      undecided("the port");
      return;
    }
    try {
      GivenRequest request =
          GivenRequest.of(config, port, InetAddress.getByAddress(address), question, facts);
      ListAnswer answer = access.access(request);
      String missing = missing(access, answer, request, logged);
      if (missing == null && answer.outcome() == Outcome.ALLOW && miss != null && !logged.hit()) {
        ListAnswer onMiss = miss.access(request);
        missing = missing(miss, onMiss, request, logged);
        // the log has the status of the page, as for one of the origin
        answer = onMiss.outcome() == Outcome.DENY && logged.status() != 403 ? onMiss : answer;
      }
      if (missing == null) {
        compare(logged, answer);
      } else {
        undecided(missing);
      }
    } catch (Unacceptable | IOException e) {
      undecided("a request that the parser accepts");
    }
  }

  /** What the log would have to say beside what it says; null: nothing. */
  private @Nullable String missing(
      RequestTrial trial, ListAnswer answer, GivenRequest request, LoggedRequest logged) {
    switch (answer.outcome()) {
      case UNDECIDED -> {
        String needs = answer.missing() == null ? "" : answer.missing();
        return needs.contains(":") ? needs.substring(0, needs.indexOf(':')) : needs;
      }
      case DEPENDS_ON_RESPONSE -> {
        return "the response";
      }
      default -> {
        for (AclType type : trial.asked(answer, request)) {
          String what = unlogged(type, logged);
          if (what != null) {
            return what;
          }
        }
        return null;
      }
    }
  }

  private @Nullable String unlogged(AclType type, LoggedRequest logged) {
    return switch (type) {
      case URL_REGEX, URLPATH_REGEX -> logged.url().endsWith("?") ? "the query of the URL" : null;
      case BROWSER -> format.hasAny(">h{user-agent}", ">ha{user-agent}") ? null : "User-Agent";
      case REFERER_REGEX -> format.hasAny(">h{referer}", ">ha{referer}") ? null : "Referer";
      case REQ_HEADER, REQ_MIME_TYPE -> "fields of the request";
      case MYPORTNAME, LOCALPORT, LOCALIP ->
          PortDirectives.ports(config).size() > 1 || type == AclType.LOCALIP
              ? "the port of the proxy"
              : null;
      case MAXCONN, MAX_USER_IP -> "how many connections there were";
      case RANDOM -> "the chance of an ACL of type random";
      case USER_CERT, CA_CERT -> "the certificate of the client";
      default -> null;
    };
  }

  private void undecided(String what) {
    undecided.merge(what.isEmpty() ? "an answer of a helper" : what, 1L, Long::sum);
  }

  private void compare(LoggedRequest logged, ListAnswer answer) {
    boolean denied = answer.outcome() != Outcome.ALLOW;
    boolean differs = denied != (logged.verdict() == Verdict.DENIED);
    String key = answer.source().isEmpty() ? "no rules" : answer.source();
    if (rules.size() >= MAX_RULES && !rules.containsKey(key)) {
      key = "other lines";
    }
    Tally tally = rules.computeIfAbsent(key, place -> new Tally(answer.rule()));
    tally.requests++;
    if (!differs) {
      same++;
      return;
    }
    String what = denied ? "allowed in the log, denied here" : "denied in the log, allowed here";
    nowDenied += denied ? 1 : 0;
    nowAllowed += denied ? 0 : 1;
    tally.differences.merge(what, 1L, Long::sum);
    if (tally.examples.size() < shown) {
      tally.examples.add(
          what + ": " + logged.client() + " " + logged.method() + " " + logged.url());
    }
  }

  private String summary() {
    long different = nowDenied + nowAllowed;
    long unknown = undecided.values().stream().mapToLong(Long::longValue).sum();
    return lines
        + " lines: "
        + same
        + " with the same verdict, "
        + different
        + " with another ("
        + nowDenied
        + " denied here, "
        + nowAllowed
        + " allowed here), "
        + unknown
        + " undecidable, "
        + without
        + " without a verdict, "
        + bad
        + " unreadable";
  }

  /** The report for a reader. */
  public String text() {
    StringBuilder text = new StringBuilder(summary()).append('\n');
    if (!undecided.isEmpty()) {
      text.append("\nUndecidable, because the log lacks\n");
      undecided.forEach(
          (what, count) -> text.append("  ").append(what).append(": ").append(count).append('\n'));
    }
    text.append("\nRequests by the line that decides\n");
    rules.forEach(
        (place, tally) -> {
          text.append("  ").append(place).append(": ").append(tally.rule).append(": ");
          text.append(tally.requests).append('\n');
          tally.differences.forEach(
              (what, count) ->
                  text.append("    ").append(what).append(": ").append(count).append('\n'));
          tally.examples.forEach(one -> text.append("      ").append(one).append('\n'));
        });
    return text.toString();
  }

  /** The same as one JSON object. */
  public String json() {
    JsonWriter json = JsonWriter.spaced().beginObject();
    json.member("lines", lines).member("same", same);
    json.member("denied_here", nowDenied).member("allowed_here", nowAllowed);
    json.member("without_verdict", without).member("unreadable", bad);
    json.name("undecidable").beginObject();
    undecided.forEach(json::member);
    json.endObject().name("rules").beginArray();
    rules.forEach(
        (place, tally) -> {
          json.row().beginObject().member("source", place).member("rule", tally.rule);
          json.member("requests", tally.requests);
          long differences = tally.differences.values().stream().mapToLong(Long::longValue).sum();
          json.member("different", differences).name("examples").beginArray();
          tally.examples.forEach(json::value);
          json.endArray().endObject();
        });
    return json.endRows().endArray().endObject() + "\n";
  }

  /** 0: no verdict differs; 1: some do. */
  public int exitStatus() {
    return nowDenied + nowAllowed == 0 ? SAME : DIFFERENT;
  }
}
